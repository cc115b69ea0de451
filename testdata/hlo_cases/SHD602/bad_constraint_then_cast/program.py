import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))

@jax.jit
def apply(p, x):
    w = jax.lax.with_sharding_constraint(p["proj"], NamedSharding(mesh, P()))  # want SHD602 "'proj'.*'fsdp'.*128\.0 KiB.*256\.0 KiB"
    return x @ w.astype(jnp.bfloat16)

p = {"proj": jax.device_put(np.ones((256, 256), np.float32), NamedSharding(mesh, P("fsdp")))}
x = jax.device_put(jnp.ones((512, 256), jnp.bfloat16), NamedSharding(mesh, P("fsdp")))
jax.block_until_ready(apply(p, x))
