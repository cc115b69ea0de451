"""Old names behind every kind of guard, in strings and comments, and on objects of our own."""
import importlib
import typing

import jax
import jax.numpy as jnp

VERSION = tuple(int(p) for p in jax.__version__.split(".")[:3])

if typing.TYPE_CHECKING:
    from jax.sharding import PositionalSharding

tree_map = jax.tree.map if hasattr(jax, "tree") else jax.tree_map
use_mesh = getattr(jax.sharding, "use_mesh", None)
if VERSION < (0, 7, 0):
    from jax.interpreters import pxla

    current_mesh = pxla.thread_resources.env.physical_mesh


class jaxlike:
    tree_map = staticmethod(lambda f, t: [f(x) for x in t])


def layout(x: "PositionalSharding | None" = None):
    """Takes what jax.sharding.PositionalSharding made (jax.tree_map is gone too)."""
    return x


print(tree_map(lambda x: x + 1, {"a": jnp.ones(2)}), jaxlike.tree_map(abs, [-1]), layout(), use_mesh)
