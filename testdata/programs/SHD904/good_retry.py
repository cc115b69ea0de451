"""The call is tried with the old keyword and made again with the new one."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
specs = dict(mesh=mesh, in_specs=P("data"), out_specs=P("data"))
try:
    f = jax.shard_map(jnp.sin, check_rep=False, **specs)
except TypeError:
    f = jax.shard_map(jnp.sin, check_vma=False, **specs)
print(f(jnp.ones(8)))
