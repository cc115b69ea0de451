import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("b", "m"), axis_types=(AxisType.Auto,) * 2)
heads = NamedSharding(mesh, P("b", None, "m", None))

@jax.jit
def cross(x, memory, wq, wk, wv):
    q = jax.lax.with_sharding_constraint(jnp.einsum("btd,dnk->btnk", x, wq), heads)
    k = jnp.einsum("bsd,dnk->bsnk", memory, wk)
    v = jnp.einsum("bsd,dnk->bsnk", memory, wv)
    w = jax.nn.softmax(jnp.einsum("btnk,bsnk->bnts", q, k))
    return jnp.einsum("bnts,bsnk->btnk", w, v).sum()

r = np.random.default_rng(1)
x = jax.device_put(r.normal(size=(4, 64, 64)).astype(np.float32), NamedSharding(mesh, P("b")))
memory = jax.device_put(r.normal(size=(4, 96, 64)).astype(np.float32), NamedSharding(mesh, P("b")))
ws = [jax.device_put(r.normal(size=(64, 8, 8)).astype(np.float32), NamedSharding(mesh, P(None, "m", None))) for _ in range(3)]
jax.block_until_ready(cross(x, memory, *ws))
