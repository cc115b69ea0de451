import jax
from jax.lax import pvary, psum  # want SHD901 "jax\.lax\.pvary was removed in JAX 0\.10\.0; use jax\.lax\.pcast"
from jax.sharding import Mesh, PartitionSpec as P, use_mesh  # want SHD901 "jax\.sharding\.use_mesh was removed in JAX 0\.7\.1; use jax\.set_"
import jax.numpy as jnp

mesh = Mesh(jax.devices(), ('x',))


def f(x):
    c = pvary(
        jnp.zeros(()),
        'x',
    )
    return psum(c + x.sum(), 'x')


with use_mesh(mesh):
    print(jax.shard_map(f, in_specs=P('x'), out_specs=P())(jnp.ones(8)))
