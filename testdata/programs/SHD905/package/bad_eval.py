import jax
import jax.numpy as jnp
from lib import MESH, entered

P = jax.P
f = jax.jit(lambda x: jax.lax.with_sharding_constraint(x * 2, P("d")))
with entered():
    print(f(jnp.ones(8)).sharding)
with MESH:  # want SHD905 "set_mesh\(MESH\)"
    print(f(jnp.ones(8)).sharding)
