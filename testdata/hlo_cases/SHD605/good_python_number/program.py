import jax, jax.numpy as jnp, numpy as np, math
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)

@jax.jit
def attention(x, wq, wk, wv, wo):
    q, k, v = (jnp.einsum("btd,dnh->btnh", x, w) for w in (wq, wk, wv))
    s = jnp.einsum("btnh,bsnh->bnts", q, k) / math.sqrt(q.shape[-1])
    a = jax.nn.softmax(s.astype(np.float32) / np.sqrt(4.0), axis=-1).astype(x.dtype) * float(np.sqrt(1.0))
    o = jnp.einsum("bnts,bsnh->btnh", a, v)
    return jnp.einsum("btnh,nhd->btd", o, wo)

x = jax.device_put(jnp.ones((4, 64, 64), jnp.bfloat16), NamedSharding(mesh, P("dp")))
h = NamedSharding(mesh, P(None, "tp", None))
wq, wk, wv = (jax.device_put(jnp.ones((64, 8, 16), jnp.bfloat16), h) for _ in range(3))
wo = jax.device_put(jnp.ones((8, 16, 64), jnp.bfloat16), NamedSharding(mesh, P("tp")))
jax.block_until_ready(attention(x, wq, wk, wv, wo))
