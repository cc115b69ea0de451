"""ZeRO-1 by hand: psum_scatter of the gradients, a sharded Adam, all_gather of the new weights."""
import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("dp",), axis_types=(jax.sharding.AxisType.Auto,))


def mlp(p, x):
    for w in p[:-1]:
        x = jax.nn.relu(x @ w.astype(x.dtype))
    return x @ p[-1].astype(x.dtype)


def local_loss(p, x, y):
    return jnp.mean((mlp(p, x.astype(jnp.bfloat16)).astype(jnp.float32) - y) ** 2)


def adam(g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    return -1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("dp"), P("dp"), P("dp"), P("dp")), out_specs=(P(), P("dp"), P("dp"), P()), check_vma=False)
def sharded_step(p, m, v, x, y):
    loss, g = jax.value_and_grad(local_loss)(p, x, y)
    new_p, new_m, new_v = [], [], []
    for w, d, mi, vi in zip(p, g, m, v):
        d = jax.lax.psum_scatter(d, "dp", scatter_dimension=0, tiled=True) / jax.lax.axis_size("dp")
        i = jax.lax.axis_index("dp")
        mine = jax.lax.dynamic_slice_in_dim(w, i * d.shape[0], d.shape[0])
        u, mi, vi = adam(d, mi, vi)
        new_p.append(jax.lax.all_gather(mine + u, "dp", tiled=True))
        new_m.append(mi)
        new_v.append(vi)
    return new_p, new_m, new_v, jax.lax.pmean(loss, "dp")


step = jax.jit(sharded_step, donate_argnums=(0, 1, 2))
dims = [(64, 128), (128, 128), (128, 32)]
p = [jax.device_put(np.full(d, 0.02, np.float32), NamedSharding(mesh, P())) for d in dims]
m = [jax.device_put(np.zeros(d, np.float32), NamedSharding(mesh, P("dp"))) for d in dims]
v = [jax.device_put(np.zeros(d, np.float32), NamedSharding(mesh, P("dp"))) for d in dims]
x, y = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P("dp"))), jax.device_put(np.ones((64, 32), np.float32), NamedSharding(mesh, P("dp")))
p, m, v, loss = step(p, m, v, x, y)
print(loss)
