"""A Flax loop over epochs and batches; the state is rebound, nothing is donated."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


class Net(nn.Module):
    width: int = 64

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(self.width)(x)))


def create(key):
    net = Net()
    variables = net.init(key, jnp.ones((1, 32)))
    return train_state.TrainState.create(apply_fn=net.apply, params=variables["params"], tx=optax.adamw(1e-3))


@jax.jit  # want SHD301 "donate_argnums=0"
def train_step(state, batch):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, batch["x"]) - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), {"loss": loss}


def batches(n):
    for _ in range(n):
        yield {"x": jnp.ones((8, 32)), "y": jnp.zeros((8, 1))}


state = create(jax.random.key(0))
for epoch in range(2):
    for batch in batches(2):
        state, metrics = train_step(state, batch)
print(metrics["loss"])
