"""Uses of names that went or will go, each behind a question that lets no release reach what it lacks."""
import contextlib
import importlib
import importlib.metadata
import importlib.util
import sys
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import pytest
from jax import __version_info__ as jax_version
from packaging import version
from packaging.version import Version, parse as parse_version

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map
try:
    from jax.experimental.maps import xmap
except (ImportError, AttributeError):
    xmap = None
try:
    import jax.experimental.maps as maps
except ModuleNotFoundError:
    maps = None
try:
    from jax.experimental.maps import thread_resources
except Exception:
    thread_resources = None
try:
    tree_map = jax.tree_map
except AttributeError:
    tree_map = jax.tree.map
if TYPE_CHECKING:
    from jax.experimental.maps import FrozenDict
with contextlib.suppress(ImportError):
    from jax.experimental.maps import SerialLoop

NEW = hasattr(jax, "shard_map")
JAX_VERSION = tuple(int(p) for p in jax.__version__.split(".")[:3])
PARSED = version.parse(jax.__version__)
INSTALLED = Version(importlib.metadata.version("jax"))
OLD_TREES = parse_version(jax.__version__) < parse_version("0.4.26")

if NEW:
    smap = jax.shard_map
else:
    from jax.experimental.shard_map import shard_map as smap
if JAX_VERSION < (0, 6, 0):
    from jax.experimental.shard_map import shard_map as smap2
if JAX_VERSION >= (0, 8):
    pjit = jax.jit
else:
    from jax.experimental.pjit import pjit
if PARSED < version.parse("0.6.0"):
    jax.config.update("jax_spmd_mode", "allow_all")
if INSTALLED < Version("0.4.31"):
    import jax.experimental.maps as maps2
if jax_version < (0, 10, 0):
    put = jax.device_put_replicated
if jax.__version_info__ < (0, 10):
    put = jax.device_put_sharded
if OLD_TREES:
    leaves = jax.tree_leaves([1])
if "jax_pmap_shmap_merge" in jax.config.values:
    jax.config.update("jax_pmap_shmap_merge", False)
if hasattr(jax.config, "jax_spmd_mode"):
    jax.config.update("jax_spmd_mode", "allow_all")
if "tree_map" in dir(jax):
    jax.tree_map(lambda x: x, [1])
if getattr(jax, "spmd_mode", None) is not None:
    jax.spmd_mode("allow_all")
if importlib.util.find_spec("jax.experimental.maps") is not None:
    from jax.experimental.maps import Mesh as OldMesh
if "jax.experimental.maps" in sys.modules:
    print(jax.experimental.maps.thread_resources)
mapped = getattr(jax, "tree_map", None) or jax.tree.map
picked = jax.tree.map if hasattr(jax, "tree") else jax.tree_map
old = jax.tree_map if jax.__version_info__ < (0, 4, 26) else jax.tree.map


def is_old():
    return jax.__version_info__ < (0, 5)


def legacy_spmd():
    if "jax_spmd_mode" in jax.config.values:
        return jax.config.jax_spmd_mode
    return None


def replicate(x):
    if jax.__version_info__ >= (0, 10, 0):
        return jax.device_put(x, jax.devices()[0])
    return jax.device_put_replicated(x, jax.local_devices())


def replicate2(x):
    if not hasattr(jax, "device_put_replicated"):
        return x
    return jax.device_put_replicated(x, jax.local_devices())


def replicate3(x):
    if is_old():
        return jax.device_put_replicated(x, jax.local_devices())
    return x


def replicate4(x):
    if parse_version(jax.__version__) >= Version("0.10.0"):
        raise NotImplementedError("write jax.device_put")
    return jax.device_put_replicated(x, jax.local_devices())


def test_removed():
    with pytest.raises(AttributeError):
        jax.tree_map(lambda x: x, [1])
    with pytest.raises((AttributeError, ImportError), match="maps"):
        from jax.experimental.maps import ResourceEnv
    text = "jax.tree_map(f, x) and jax.experimental.maps"
    assert text


@pytest.mark.skipif(jax.__version_info__ >= (0, 10, 0), reason="went in 0.10.0")
def test_replicated():
    jax.device_put_replicated(jnp.ones(2), jax.local_devices())


@pytest.mark.skipif(not hasattr(jax, "tree_map"), reason="gone")
def test_tree():
    assert jax.tree_map(lambda x: x, [1]) == [1]


class Compat:
    if hasattr(jax, "tree_map"):
        tree_map = staticmethod(jax.tree_map)

    @property
    def resources(self):
        try:
            return jax.interpreters.pxla.thread_resources
        except AttributeError:
            return None


assert is_old() is False and legacy_spmd() is None
assert replicate(1) is not None and replicate2(2) == 2 and replicate3(3) == 3
test_removed()
