"""Micro-batches through optax.MultiSteps, bfloat16 compute, weight decay mask."""
import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(8), ("data",))
tx = optax.MultiSteps(optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3, mask=lambda p: jax.tree.map(lambda a: a.ndim > 1, p))), every_k_schedule=4)


def apply(params, x):
    h = x.astype(jnp.bfloat16)
    for name in ("in", "mid", "out"):
        layer = params[name]
        h = jnp.einsum("bd,df->bf", h, layer["kernel"].astype(jnp.bfloat16)) + layer["bias"].astype(jnp.bfloat16)  # want SHD601 "'in'.*'mid'.*'out'.*177.1 KiB"
        if name != "out":
            h = jax.nn.relu(h)
    return h.astype(jnp.float32)


def loss_fn(params, x, y):
    logits = apply(params, x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


@jax.jit
def train_step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def init():
    rng = np.random.default_rng(0)
    dims = {"in": (64, 256), "mid": (256, 256), "out": (256, 32)}
    return {k: {"kernel": jnp.asarray(rng.normal(size=d) * 0.05, jnp.float32), "bias": jnp.zeros(d[1])} for k, d in dims.items()}


params = jax.device_put(init(), NamedSharding(mesh, P()))
opt_state = jax.device_put(tx.init(params), NamedSharding(mesh, P()))
x = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P("data")))
y = jax.device_put(np.zeros(64, np.int32), NamedSharding(mesh, P("data")))
params, opt_state, loss = train_step(params, opt_state, x, y)
print(loss)
