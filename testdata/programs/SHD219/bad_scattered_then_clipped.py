"""ZeRO: gradients are scattered first, then clipped by the norm of a shard."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("dp",))
clip = optax.clip_by_global_norm(1.0)


def step(w_shard, x):
    w = lax.all_gather(w_shard, "dp", tiled=True)
    g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    g_shard = lax.psum_scatter(g, "dp", tiled=True) / 8
    clipped, _ = clip.update({"w": g_shard}, clip.init(None))  # want SHD219 "clip_by_global_norm.*dp"
    return w_shard - 0.1 * clipped["w"]


f = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(P("dp"), P("dp")), out_specs=P("dp")))
print(f(jnp.ones((16, 4)), jnp.ones((8, 16))).shape)
