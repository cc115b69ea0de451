"""Muon: momentum orthogonalized by Newton-Schulz iterations in bfloat16; Adam for the embedding."""
import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import NamedSharding, PartitionSpec as P, AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
adam = optax.adam(1e-3)


def orthogonal(g):
    x = (g / (jnp.linalg.norm(g) + 1e-7)).astype(jnp.bfloat16)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
    return x.astype(g.dtype)


def loss(p, ids):
    h = p["embed"][ids].astype(jnp.bfloat16)
    for w in p["hidden"]:
        h = h + jax.nn.relu(h @ w.astype(jnp.bfloat16)) ** 2  # want SHD601 "'hidden'.*24.0 KiB"
    logits = h.astype(jnp.float32) @ p["embed"].T
    return optax.softmax_cross_entropy_with_integer_labels(logits, ids).mean()


@jax.jit
def step(p, mom, opt, ids):
    g = jax.grad(loss)(p, ids)
    mom = jax.tree.map(lambda m, d: 0.95 * m + d, mom, g["hidden"])
    hidden = jax.tree.map(lambda w, m: w - 0.02 * orthogonal(m), p["hidden"], mom)
    u, opt = adam.update(g["embed"], opt)
    return {"embed": p["embed"] + u, "hidden": hidden}, mom, opt


rep = NamedSharding(mesh, P())
p = jax.device_put({"embed": np.full((128, 64), 0.1, np.float32), "hidden": [np.eye(64, dtype=np.float32)] * 3}, rep)
mom = jax.device_put([np.zeros((64, 64), np.float32)] * 3, rep)
opt = jax.device_put(adam.init(p["embed"]), rep)
step(p, mom, opt, jax.device_put(np.zeros((16, 32), np.int32), NamedSharding(mesh, P("data"))))
