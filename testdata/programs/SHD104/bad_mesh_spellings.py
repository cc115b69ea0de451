"""Meshes and shapes in as many spellings as programs have for known sizes."""
import contextlib
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import mesh_utils
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

refused = 0
DEVICES = jax.devices()[:8]


def put(mesh, rows, *names):
    global refused
    try:
        return jax.device_put(jnp.zeros((rows, 8)), NamedSharding(mesh, P(*names)))  # want SHD104 "10.*4"
    except Exception:
        refused += 1


@functools.lru_cache(maxsize=None)
def cached(kind):
    if kind == "utils":
        return Mesh(mesh_utils.create_device_mesh(mesh_shape=(4, 2), devices=DEVICES), axis_names=("x", "y"))
    return jax.make_mesh((4, 2), ("x", "y"), devices=DEVICES, axis_types=(AxisType.Auto,) * 2)


class Runtime:
    shape = {"x": 4, "y": 2}
    grid = np.array(DEVICES).reshape(4, -1)

    def __init__(self):
        self._mesh = None

    @property
    def mesh(self):
        if self._mesh is None:
            self._mesh = Mesh(self.grid, tuple(self.shape))
        return self._mesh

    @contextlib.contextmanager
    def entered(self):
        with jax.set_mesh(self.mesh):
            yield self.mesh


runtime = Runtime()
put(cached("utils"), 10, "x")
put(cached("auto"), 10, "x")
put(runtime.mesh, 10, "x")
with runtime.entered() as entered:
    put(entered, 10, "x")
wide = Mesh(np.reshape(DEVICES, (2, 2, 2)), ("a", "b", "c"))
put(wide, 10, ("a", "b"))
flat = Mesh(np.asarray(DEVICES), "z")


def rows_of(mesh, axis, per):
    return mesh.shape[axis] * per + 2


def checked(mesh, array, spec):
    global refused
    try:
        return jax.device_put(array, NamedSharding(mesh, spec))  # want SHD104 "18.*8"
    except Exception:
        refused += 1


checked(flat, jnp.ones(rows_of(flat, "z", 2)), P("z"))
checked(flat, jnp.ones((3, 3)).reshape(-1), P("z"))
checked(flat, jnp.concatenate([jnp.ones((6, 2)), jnp.ones((6, 2))], axis=0), P("z"))
checked(flat, jnp.ones((4, 9)).ravel(), P(flat.axis_names))
checked(flat, jnp.stack([jnp.ones(2) for _ in range(20)]), P(*flat.axis_names))
checked(flat, np.zeros([math.prod((4, 7)), 2]), P("z", None))
checked(flat, jnp.arange(3, 33), P("z"))
checked(flat, jnp.ones((7, 2)).repeat(2, axis=0), P("z"))
checked(flat, jnp.ones((2, 7)).T, P("z"))
checked(flat, jnp.broadcast_to(jnp.ones((1, 4)), (11, 4)), P("z"))
for name, size in flat.shape.items():
    checked(flat, jnp.eye(size + 4), P(None, name))
print(refused)
