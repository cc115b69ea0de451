import sys

sys.path.insert(0, "src")
import jax
import jax.numpy as jnp
from src.nets import activation, make_mesh

mesh = make_mesh()
act = activation(mesh)
print(jax.jit(lambda x: jax.lax.with_sharding_constraint(x, act))(jnp.ones((8, 4, 8))).shape)
