"""Flax linen with a TrainState; the pmean was kept from a pmap program."""
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state
from jax.sharding import AxisType

mesh = jax.make_mesh((4, 2), ("data", "seq"), axis_types=(AxisType.Auto, AxisType.Auto))
replicated, by_rows = jax.P(), jax.P("data", "seq")


class MLP(nn.Module):
    width: int = 32

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(1)(x)


def create(key):
    model = MLP()
    params = model.init(key, jnp.ones((1, 4)))["params"]
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(0.1))


@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(replicated, by_rows, by_rows), out_specs=(replicated, replicated))
def train_step(state, x, y):
    def loss_fn(params):
        pred = state.apply_fn({"params": params}, x[..., None] * jnp.ones((4,)))
        return jnp.mean((pred[..., 0] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    for axis in ("data", "seq"):
        grads = jax.lax.pmean(grads, axis_name=axis)  # want SHD202 "data"
    loss = jax.lax.pmean(loss, ("data", "seq"))
    return state.apply_gradients(grads=grads), loss


state = create(jax.random.key(0))
state, loss = train_step(state, jnp.ones((8, 8)), jnp.zeros((8, 8)))
print(loss)
