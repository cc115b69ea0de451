"""make_mesh without types and the old context manager."""
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

names, sizes = zip(*{"x": 2, "y": 4}.items())
mesh = jax.make_mesh(axis_shapes=sizes, axis_names=names)  # want SHD903 "axis_types"


def step(w, x):
    h = jax.lax.with_sharding_constraint(x @ w, PartitionSpec(*names))
    return jnp.tanh(h)


with mesh:  # want SHD905 "set_mesh"
    print(jax.jit(step)(jnp.ones((8, 8)), jnp.ones((4, 8))).shape)
