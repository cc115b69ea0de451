"""Placement inside the jitted function, and shardings on jax.jit with the arrays split off."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
OPTIONS = dict(in_shardings=(full, rows), out_shardings=rows)


def jit_with_shardings(model):
    arrays, static = eqx.partition(model, eqx.is_array)

    def run(arrays, x):
        return jax.vmap(eqx.combine(arrays, static))(x)

    return arrays, jax.jit(run, **OPTIONS)


@eqx.filter_jit
def forward(model, x):
    model = eqx.filter_shard(model, full)
    x = eqx.filter_shard(x, rows)
    return jax.vmap(model)(x)


model = eqx.nn.Linear(4, 2, key=jax.random.key(0))
arrays, run = jit_with_shardings(model)
x = np.ones((8, 4), np.float32)
print(run(arrays, x).sharding.spec, forward(model, jnp.asarray(x)).shape)
