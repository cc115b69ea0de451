"""TrainState.create from an eager init; the loader yields sharded batches."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

model = nn.Dense(4)
mesh = Mesh(np.array(jax.devices()), ("data",))
by_rows = NamedSharding(mesh, P("data"))


def loader(n):
    for _ in range(n):
        yield jax.device_put(np.ones((8, 16), np.float32), by_rows)


@jax.jit
def train_step(state, x):
    grads = jax.grad(lambda p: jnp.mean(state.apply_fn(p, x) ** 2))(state.params)
    return state.apply_gradients(grads=grads)


params = model.init(jax.random.key(0), jnp.ones((1, 16)))
state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
for x in loader(3):
    state = train_step(state, x)  # want SHD310 "state"
print(train_step._cache_size())
