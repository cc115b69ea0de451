"""Options of jit shared by all steps, given to Equinox's jit too."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
replicated, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


class Regressor(eqx.Module):
    layer: eqx.nn.Linear

    def __init__(self, key):
        self.layer = eqx.nn.Linear(4, 1, key=key)

    def __call__(self, x):
        return self.layer(x)[0]


def loss(model, batch):
    return jnp.mean(jax.vmap(model)(batch) ** 2)


def make_step(optimizer):
    @eqx.filter_jit(donate="all", in_shardings=(replicated, replicated, rows))  # want SHD806 "in_shardings.*filter_shard"
    def step(model, state, batch):
        grads = eqx.filter_grad(loss)(model, batch)
        updates, state = optimizer.update(grads, state, model)
        return eqx.apply_updates(model, updates), state

    return step


model = Regressor(jax.random.key(0))
optimizer = optax.sgd(1e-2)
step = make_step(optimizer)
model, state = step(model, optimizer.init(eqx.filter(model, eqx.is_array)), jnp.ones((8, 4)))
