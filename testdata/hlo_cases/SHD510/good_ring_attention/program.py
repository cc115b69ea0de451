import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "cp"), axis_types=(AxisType.Auto,) * 2)

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P("dp", "cp"),) * 3, out_specs=P("dp", "cp"), check_vma=False)
def ring(q, k, v):
    n = jax.lax.axis_size("cp")
    def hop(i, c):
        acc, m, l, k, v = c
        s = jnp.einsum("btd,bsd->bts", q, k)
        new = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - new[..., None])
        scale = jnp.exp(m - new)
        acc = acc * scale[..., None] + jnp.einsum("bts,bsd->btd", p, v)
        l = l * scale + p.sum(-1)
        k, v = (jax.lax.ppermute(a, "cp", [(j, (j + 1) % n) for j in range(n)]) for a in (k, v))
        return acc, new, l, k, v
    b, t, d = q.shape
    acc, m, l, _, _ = jax.lax.fori_loop(0, n, hop, (jnp.zeros_like(q), jnp.full((b, t), -jnp.inf), jnp.zeros((b, t)), k, v))
    return acc / l[..., None]

a = [jax.device_put(np.ones((4, 128, 32), np.float32), NamedSharding(mesh, P("dp", "cp"))) for _ in range(3)]
jax.block_until_ready(ring(*a))
