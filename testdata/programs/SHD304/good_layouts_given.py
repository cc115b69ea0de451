from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("data"))


def init(key):
    return {"w": jax.random.normal(key, (64, 64)), "b": jnp.zeros((64,))}


shapes = jax.eval_shape(init, jax.random.key(0))
layouts = jax.tree.map(lambda s: NamedSharding(mesh, P("data") if s.shape[0] % 8 == 0 else P()), shapes)
params = jax.jit(init, out_shardings=layouts)(jax.random.key(0))


@partial(jax.jit, out_shardings=rows)
def cache():
    return jnp.zeros((64, 16))


@jax.jit
def constrained(key):
    return jax.lax.with_sharding_constraint(jax.random.normal(key, (64, 4)), rows)


@jax.jit
def forward(params, x):
    return x @ params["w"] + params["b"]


noise = jax.jit(lambda k: jax.random.normal(k, (4,)))(jax.random.key(1))
moments = jax.tree.map(jnp.zeros_like, params)
print(forward(params, cache().T).shape, constrained(jax.random.key(2)).sharding.spec, noise.shape, moments["w"].sharding.spec)
