import jax
import jax.numpy as jnp
from parallel import mean, shard_map

mesh = jax.sharding.Mesh(jax.devices(), ("data",))
f = shard_map(mean, mesh=mesh, in_specs=jax.P("data"), out_specs=jax.P())
print(jax.jit(f)(jnp.ones(16)))
