import functools
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
try:
    from jax import shard_map
    smap = functools.partial(shard_map, check_vma=False)
except ImportError:
    from jax.experimental.shard_map import shard_map
    smap = functools.partial(shard_map, check_rep=False)
mesh = Mesh(np.array(jax.devices()), ("fsdp",))
L, D, F = 5, 48, 64
def gather(w, dim):
    return lax.all_gather(w.astype(jnp.bfloat16), "fsdp", axis=dim, tiled=True)
@jax.checkpoint
def layer(x, w):
    up, down = gather(w["up"], 0), gather(w["down"], 1)
    return x + jax.nn.silu(x @ up) @ down, None  # want SHD601 "layers.*down.*layers.*up.*transpose of an all_gather"
def loss_fn(p, x, y):
    x, _ = lax.scan(layer, x.astype(jnp.bfloat16), p["layers"])
    return jnp.mean((x @ gather(p["head"], 0) - y).astype(jnp.float32) ** 2)  # want SHD601 "head.*transpose of an all_gather"
spec = {"layers": {"up": P(None, "fsdp"), "down": P(None, None, "fsdp")}, "head": P("fsdp")}
@functools.partial(smap, mesh=mesh, in_specs=(spec, spec, P("fsdp"), P("fsdp")), out_specs=(spec, spec, P()))
def step(p, m, x, y):
    loss, g = jax.value_and_grad(loss_fn)(p, x, y)
    sq = sum(jnp.sum(a.astype(jnp.float32) ** 2) for a in jax.tree.leaves(g))
    norm = jnp.sqrt(lax.psum(sq, "fsdp"))
    g = jax.tree.map(lambda a: a * jnp.minimum(1, 1 / norm) / 8, g)
    new_m = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b, m, g)
    p = jax.tree.map(lambda w, a, b: w - 1e-4 * jnp.sign(0.9 * a + 0.1 * b), p, m, g)
    return p, new_m, lax.pmean(loss, "fsdp")
train_step = jax.jit(step, donate_argnums=(0, 1))
shapes = {"layers": {"up": (L, D, F), "down": (L, F, D)}, "head": (D, 24)}
put = lambda v: jax.tree.map(lambda s, sp: jax.device_put(np.full(s, v, np.float32), NamedSharding(mesh, sp)), shapes, spec, is_leaf=lambda s: isinstance(s, tuple) and not isinstance(s, P))
x = jax.device_put(np.ones((16, D), np.float32), NamedSharding(mesh, P("fsdp")))
y = jax.device_put(np.ones((16, 24), np.float32), NamedSharding(mesh, P("fsdp")))
train_step.lower(put(0.1), put(0.0), x, y).compile()
