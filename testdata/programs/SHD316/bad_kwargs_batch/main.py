import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

from ops import mesh, segment_mean

batch = {
    "values": jax.device_put(jnp.arange(16.0), NamedSharding(mesh, P("x"))),
    "segments": jax.device_put(jnp.arange(16) // 4, NamedSharding(mesh, P("x"))),
}
print(segment_mean(**batch).shape)  # want SHD316 "values"
