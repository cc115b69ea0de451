"""float16 with a dynamic loss scale, master weights, skipped updates."""
import functools
import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("batch",), axis_types=(jax.sharding.AxisType.Auto,))
tx = optax.lion(1e-4)


def cast(tree, dtype):
    return jax.tree.map(lambda a: a.astype(dtype), tree)


def forward(half, tokens):
    h = jnp.take(half["embed"], tokens, axis=0)  # want SHD601 "'embed'.*float16.*64.0 KiB.*scatter-add"
    h = h + half["pos"][None]  # want SHD601 "'pos'.*2.0 KiB.*sum over the batch"
    gate, up = jnp.split(h @ half["w_in"], 2, axis=-1)  # want SHD601 "'w_in'.*32.0 KiB"
    h = h + (jax.nn.silu(gate) * up) @ half["w_out"]  # want SHD601 "'w_out'.*16.0 KiB"
    return h @ half["embed"].T  # want SHD601 "'embed'.*64.0 KiB.*product"


def scaled_loss(params, scale, tokens):
    logits = forward(cast(params, jnp.float16), tokens[:, :-1]).astype(jnp.float32)
    ce = optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])
    return ce.mean() * scale, ce.mean()


@functools.partial(jax.jit, donate_argnums=0)
def step(state, tokens):
    grads, loss = jax.grad(scaled_loss, has_aux=True)(state["params"], state["scale"], tokens)
    grads = jax.tree.map(lambda g: g / state["scale"], grads)
    finite = jnp.all(jnp.array([jnp.isfinite(g).all() for g in jax.tree.leaves(grads)]))
    updates, opt = tx.update(grads, state["opt"], state["params"])
    params = optax.apply_updates(state["params"], updates)
    keep = lambda new, old: jax.tree.map(lambda n, o: jnp.where(finite, n, o), new, old)
    scale = jnp.where(finite, state["scale"] * 1.001, state["scale"] * 0.5)
    return {"params": keep(params, state["params"]), "opt": keep(opt, state["opt"]), "scale": scale}, loss


rng = np.random.default_rng(0)
params = {"embed": rng.normal(size=(512, 64)), "pos": rng.normal(size=(16, 64)), "w_in": rng.normal(size=(64, 256)), "w_out": rng.normal(size=(128, 64))}
params = jax.tree.map(lambda a: jnp.asarray(a * 0.02, jnp.float32), params)
state = jax.device_put({"params": params, "opt": tx.init(params), "scale": jnp.float32(1024)}, NamedSharding(mesh, P()))
tokens = jax.device_put(np.zeros((16, 17), np.int32), NamedSharding(mesh, P("batch")))
state, loss = step(state, tokens)
print(loss)
