import functools
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def put(tree, spec):
    return jax.device_put(tree, NamedSharding(mesh, spec))


REDUCED = os.environ.get("REDUCED", "embed,head").split(",")


def loss(p, x, y):
    h = x @ p["embed"]
    h = h + jnp.tanh(h @ p["up"]) @ p["down"]
    return jnp.mean((h @ p["head"] - y) ** 2)


def sync(path, g):
    return lax.pmean(g, "data") if path[0].key in REDUCED else g


@functools.partial(jax.jit, donate_argnums=0)
@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(), check_vma=False)
def step(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    grads = jax.tree_util.tree_map_with_path(sync, grads)
    params = jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)  # want SHD203 "^params\['down'\] and params\['up'\]: .* over data"
    return params, lax.pmean(value, "data")


shapes = {"embed": (32, 24), "up": (24, 48), "down": (48, 24), "head": (24, 16)}
params = put({name: np.ones(shape, np.float32) for name, shape in shapes.items()}, P())
step(params, put(np.ones((64, 32), np.float32), P("data")), put(np.ones((64, 16), np.float32), P("data")))
