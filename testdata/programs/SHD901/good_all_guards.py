"""Every spelling by which programs ask for a release or for a name."""
import contextlib
import importlib.metadata
import inspect

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from packaging.version import Version

JAX = Version(jax.__version__)
NEW = JAX >= Version("0.7.1")
mesh = Mesh(np.array(jax.devices()), ("data",))

try:
    use_mesh = jax.sharding.use_mesh
except AttributeError:
    use_mesh = jax.set_mesh

set_mesh = getattr(jax, "set_mesh", None) or getattr(jax.sharding, "use_mesh", None)

tree_map = jax.tree.map if hasattr(jax, "tree") else jax.tree_map

if NEW:
    context = jax.set_mesh
else:
    context = jax.sharding.use_mesh


def vary(x, axis):
    if tuple(int(p) for p in jax.__version__.split(".")[:2]) >= (0, 9):
        return jax.lax.pcast(x, axis, to="varying")
    return jax.lax.pvary(x, axis)


def replicated(tree, devices):
    try:
        return jax.device_put_replicated(tree, devices)
    except AttributeError:
        return jax.device_put(tree, NamedSharding(mesh, P()))


with contextlib.suppress(ImportError):
    from jax.sharding import PositionalSharding


class Registry:
    """Its method has the name of something that JAX dropped."""

    def tree_map(self, fn, tree):
        return tree_map(fn, tree)

    def pvary(self, x):
        return x


with context(mesh):
    print(Registry().tree_map(jnp.sin, jnp.ones(8)).shape, Registry().pvary(1), set_mesh is not None)
