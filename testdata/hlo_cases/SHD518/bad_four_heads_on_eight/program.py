import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((1, 8), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)
KV, Q, D = 4, 16, 32

@jax.jit
def attend(x, wq, wk, wv):
    b, t, _ = x.shape
    q = (x @ wq).reshape(b, t, Q, D)
    k = (x @ wk).reshape(b, t, KV, D)
    v = (x @ wv).reshape(b, t, KV, D)
    k = jnp.repeat(k, Q // KV, axis=2)  # want SHD518 "'wk'.*64\.0 KiB"
    v = jnp.repeat(v, Q // KV, axis=2)  # want SHD518 "'wv'.*64\.0 KiB"
    s = jax.nn.softmax(jnp.einsum("btnd,bsnd->bnts", q, k))
    return jnp.einsum("bnts,bsnd->btnd", s, v)

x = jax.device_put(np.ones((4, 128, 128), np.float32), NamedSharding(mesh, P("dp")))
tp = NamedSharding(mesh, P(None, "tp"))
wq = jax.device_put(np.ones((128, Q * D), np.float32), tp)
wk = jax.device_put(np.ones((128, KV * D), np.float32), tp)
wv = jax.device_put(np.ones((128, KV * D), np.float32), tp)
jax.block_until_ready(attend(x, wq, wk, wv))
