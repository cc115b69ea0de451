import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("replica", "tensor"), axis_types=(AxisType.Auto,) * 2)
by_head = NamedSharding(mesh, P("replica", None, "tensor", None))
by_token = NamedSharding(mesh, P("replica", "tensor", None))
pin = jax.lax.with_sharding_constraint

@jax.jit
def attend(x, wq, wk, wv):
    query = pin(jnp.einsum("btd,dnk->btnk", x, wq), by_head)
    key = pin(jnp.einsum("btd,dnk->btnk", x, wk), by_head)
    value = jnp.einsum("btd,dnk->btnk", pin(x, by_token), wv)  # want SHD405 "'value'.*'tensor'.*64\.0 KiB"
    weights = jax.nn.softmax(jnp.einsum("btnk,bsnk->bnts", query, key) / 8.0)
    return jnp.einsum("bnts,bsnk->btnk", weights, value)

r = np.random.default_rng(1)
x = jax.device_put(r.normal(size=(4, 256, 128)).astype(np.float32), NamedSharding(mesh, P("replica")))
ws = [jax.device_put(r.normal(size=(128, 8, 16)).astype(np.float32), NamedSharding(mesh, P(None, "tensor", None))) for _ in range(3)]
jax.block_until_ready(attend(x, *ws))
