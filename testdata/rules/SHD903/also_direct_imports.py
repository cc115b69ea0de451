from jax import jit, lax, make_mesh
from jax.sharding import NamedSharding, PartitionSpec as P
import jax.numpy as jnp

mesh = make_mesh(  # want SHD903 "make_mesh without axis_types makes Explicit axes since JAX 0"
    axis_shapes=(8,),
    axis_names=('x',),
)
f = jit(lambda x: lax.with_sharding_constraint(x, NamedSharding(mesh, P('x'))))
print(f(jnp.ones(8)).shape)
