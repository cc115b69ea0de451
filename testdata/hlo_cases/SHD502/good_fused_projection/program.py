import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)

@jax.jit
def block(x, wqkv, wo):
    qkv = (x @ wqkv).reshape(*x.shape[:2], 8, 3, 16)
    q, k, v = (qkv[..., i, :] for i in range(3))
    a = jax.nn.softmax(jnp.einsum("btnd,bsnd->bnts", q, k))
    o = jnp.einsum("bnts,bsnd->btnd", a, v).reshape(x.shape[0], x.shape[1], -1)
    return x + o @ wo

x = jax.device_put(np.ones((4, 64, 128), np.float32), NamedSharding(mesh, P("dp")))
wqkv = jax.device_put(np.ones((128, 384), np.float32), NamedSharding(mesh, P(None, "tp")))
wo = jax.device_put(np.ones((128, 128), np.float32), NamedSharding(mesh, P("tp", None)))
jax.block_until_ready(block(x, wqkv, wo))
