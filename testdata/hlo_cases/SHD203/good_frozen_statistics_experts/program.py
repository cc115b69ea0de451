import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def put(tree, spec):
    return jax.device_put(tree, NamedSharding(mesh, spec))


def loss(params, experts, stats, x, y):
    h = lax.stop_gradient(x @ params["frozen"])
    mean, var = h.mean(0), h.var(0)
    stats = {"mean": 0.9 * stats["mean"] + 0.1 * mean, "var": 0.9 * stats["var"] + 0.1 * var}  # of this device's rows alone
    h = (h - mean) / jnp.sqrt(var + 1e-5)
    sent = lax.all_to_all(h.reshape(8, -1, h.shape[-1]), "data", 0, 0, tiled=True)
    back = lax.all_to_all(jnp.tanh(sent @ experts["w"][0]), "data", 0, 0, tiled=True)
    return jnp.mean((back.reshape(h.shape) @ params["head"] - y) ** 2), stats


@functools.partial(jax.jit, donate_argnums=(0, 1, 2))
@functools.partial(
    jax.shard_map,
    mesh=mesh,
    in_specs=(P(), P("data"), P(), P("data"), P("data")),
    out_specs=(P(), P("data"), P(), P()),
    check_vma=False,
)
def step(params, experts, stats, x, y):
    grad = jax.value_and_grad(loss, argnums=(0, 1), has_aux=True)
    (value, stats), (g, own) = grad(params, experts, stats, x, y)
    g = {name: lax.pmean(leaf, "data") if name != "frozen" else jnp.zeros_like(leaf) for name, leaf in g.items()}
    params = jax.tree.map(lambda w, g: w - 0.1 * g, params, g)
    experts = jax.tree.map(lambda w, g: w - 0.1 * g, experts, own)  # each device owns one
    return params, experts, stats, lax.pmean(value, "data")


params = put({"frozen": np.ones((32, 24), np.float32), "head": np.ones((24, 16), np.float32)}, P())
experts = put({"w": np.ones((8, 24, 24), np.float32)}, P("data"))
stats = put({"mean": np.zeros(24, np.float32), "var": np.ones(24, np.float32)}, P())
step(params, experts, stats, put(np.ones((64, 32), np.float32), P("data")), put(np.ones((64, 16), np.float32), P("data")))
