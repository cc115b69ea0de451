"""Names taken from the mesh itself, chosen by a condition that agrees with it, and filtered before use."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def make_mesh(tensor=1):
    devices = np.array(jax.devices())
    if tensor > 1:
        return Mesh(devices.reshape(-1, tensor), ("data", "model"))
    return Mesh(devices, ("data",))


def spec_for(mesh, *names):
    return P(*(n if n in mesh.axis_names else None for n in names))


def weight_spec(mesh):
    if "model" in mesh.axis_names:
        return P(None, "model")
    return P("data")


for tensor in (1, 2):
    mesh = make_mesh(tensor)
    first, *rest = mesh.axis_names
    x = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, spec_for(mesh, "data", "model")))
    w = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, weight_spec(mesh)))
    y = jax.device_put(x, NamedSharding(mesh, P(first, *rest)))
    print(x.sharding.spec, w.sharding.spec, y.sharding.spec)
