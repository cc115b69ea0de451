"""Switch-style routing with a one-hot dispatch tensor and a load-balancing loss; experts over an axis of their own."""
import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from jax.experimental import mesh_utils

mesh = Mesh(mesh_utils.create_device_mesh((2, 4)), ("data", "expert"))
E, C, D, F = 8, 16, 64, 128


def put(x, *spec):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*spec)))


def moe(p, x):
    g, s, d = x.shape
    probs = jax.nn.softmax((x @ p["router"]).astype(jnp.float32), -1)
    choice = jnp.argmax(probs, -1)
    mask = jax.nn.one_hot(choice, E)
    position = jnp.cumsum(mask, 1) * mask
    keep = mask * (position <= C)
    gate = (probs * keep).sum(-1)
    slot = jax.nn.one_hot(position.sum(-1).astype(jnp.int32) - 1, C)
    dispatch = jnp.einsum("gse,gsc->gsec", keep, slot)
    xin = put(jnp.einsum("gsec,gsd->egcd", dispatch, x), "expert", "data", None, None)
    h = jax.nn.gelu(jnp.einsum("egcd,edf->egcf", xin, p["w1"]))
    out = put(jnp.einsum("egcf,efd->egcd", h, p["w2"]), "expert", "data", None, None)
    y = jnp.einsum("gsec,egcd->gsd", dispatch * gate[..., None, None], out)
    balance = E * jnp.mean(mask.mean((0, 1)) * probs.mean((0, 1)))
    return put(y, ("data", "expert"), None, None), balance


def objective(p, x, y):
    h, balance = moe(p, x)
    return jnp.square((x + h) @ p["head"] - y).mean() + 0.01 * balance


@jax.jit
def update(p, x, y):
    value, g = jax.value_and_grad(objective)(p, x, y)
    return jax.tree.map(lambda w, d: w - 0.1 * d, p, g), value


spec = {"router": P(), "w1": P("expert"), "w2": P("expert"), "head": P()}
shape = {"router": (D, E), "w1": (E, D, F), "w2": (E, F, D), "head": (D, 4)}
p = {k: jax.device_put(np.random.default_rng(1).normal(size=shape[k]).astype(np.float32), NamedSharding(mesh, spec[k])) for k in shape}
batch = NamedSharding(mesh, P(("data", "expert")))
x, y = jax.device_put(np.ones((16, 32, D), np.float32), batch), jax.device_put(np.ones((16, 32, 4), np.float32), batch)
print(update(p, x, y)[1])
