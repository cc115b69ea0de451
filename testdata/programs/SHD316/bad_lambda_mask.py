import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P, auto_axes, reshard

jax.set_mesh(jax.make_mesh((2, 4), ("batch", "seq"), (AxisType.Explicit, AxisType.Explicit)))
masked_cumsum = auto_axes(lambda x, mask: jnp.cumsum(jnp.where(mask, x, 0), axis=1), out_sharding=P("batch", None))


@jax.jit
def scores(x):
    x = reshard(x, P("batch", "seq"))
    mask = x > 0
    return masked_cumsum(x, mask=mask)  # want SHD316 "mask"


print(scores(jnp.ones((4, 8))).shape)
