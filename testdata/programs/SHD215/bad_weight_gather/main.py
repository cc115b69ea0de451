import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from layers import MESH, mlp

specs = {"up": P("fsdp", None), "down": P("fsdp", None)}
params = {"up": jnp.ones((16, 32)), "down": jnp.ones((32, 16))}
apply = jax.shard_map(mlp, mesh=MESH, in_specs=(specs, P("fsdp")), out_specs=P("fsdp"))
print(apply(params, jnp.ones((8, 16))).shape)
