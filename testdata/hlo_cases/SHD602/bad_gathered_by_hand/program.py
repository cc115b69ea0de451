import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("z",), axis_types=(AxisType.Auto,))

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P("z"), P("z")), out_specs=P("z"))
def forward(w, x):
    full = jax.lax.all_gather(w, "z", tiled=True)  # want SHD602 "'z'.*32\.0 KiB.*64\.0 KiB"
    return x @ full.astype(jnp.bfloat16)

w = jax.device_put(np.ones((256, 64), np.float32), NamedSharding(mesh, P("z")))
x = jax.device_put(jnp.ones((64, 256), jnp.bfloat16), NamedSharding(mesh, P("z")))
jax.block_until_ready(forward(w, x))
