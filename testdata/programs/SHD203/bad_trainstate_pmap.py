"""pmap over a Flax TrainState; only the metrics are averaged."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import jax_utils
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(8)(x)))


def create_state(key):
    net = Net()
    return TrainState.create(apply_fn=net.apply, params=net.init(key, jnp.ones((1, 4)))["params"], tx=optax.sgd(0.1))


def train_step(state, batch):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, batch["x"]) - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    metrics = jax.lax.pmean({"loss": loss}, axis_name="batch")
    state = state.apply_gradients(grads=grads)  # want SHD203 "batch"
    return state, metrics


state = jax_utils.replicate(create_state(jax.random.key(0)))
p_step = jax.pmap(train_step, axis_name="batch")
batch = {"x": jnp.ones((8, 2, 4)), "y": jnp.zeros((8, 2, 1))}
state, metrics = p_step(state, batch)
print(metrics["loss"].shape)
