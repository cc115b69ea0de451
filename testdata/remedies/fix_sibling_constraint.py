import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import with_sharding_constraint as wsc
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
heads = NamedSharding(mesh, P("data", None, "model"))
flat = NamedSharding(mesh, P("data", "model"))


@jax.jit
def step(x, wq, wk, wv):
    q = wsc(jnp.einsum("bsd,dhk->bshk", x, wq), heads)
    k = wsc(jnp.einsum("bsd,dhk->bshk", x, wk), heads)
    v = jnp.einsum("bsd,dhk->bshk", wsc(x, flat), wv)
    p = jax.nn.softmax(jnp.einsum("bshk,bthk->bhst", q, k))
    return jnp.einsum("bhst,bthk->bshk", p, v)


x = jax.device_put(np.ones((4, 128, 64), np.float32), NamedSharding(mesh, P("data")))
ws = [jax.device_put(np.ones((64, 8, 32), np.float32), NamedSharding(mesh, P())) for _ in range(3)]
print(float(step(x, *ws).sum()))
