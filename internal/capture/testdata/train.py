"""A step over eight devices: a tree of parameters, an argument that is not used, donation, and two meshes' worth of axes."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def loss_fn(params, x):
    h = jax.lax.with_sharding_constraint(x @ params["layer"]["w"], NamedSharding(mesh, P("data", "model")))
    return jnp.mean(h * params["scale"])


def step(params, unused, x):
    grads = jax.grad(loss_fn)(params, x)
    return jax.tree_util.tree_map(lambda p, g: p - g, params, grads)


mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
params = {"layer": {"w": np.ones((16, 8), np.float32)}, "scale": np.ones((8,), np.float32)}
params = jax.device_put(params, {"layer": {"w": NamedSharding(mesh, P(None, "model"))}, "scale": NamedSharding(mesh, P())})
x = jax.device_put(np.ones((32, 16), np.float32), NamedSharding(mesh, P("data")))
out = jax.jit(step, donate_argnums=(0,))(params, 3, x)
print("scale", float(out["scale"][0]), len(jax.devices()))
