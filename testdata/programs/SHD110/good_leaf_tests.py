"""is_leaf callbacks and dispatch on types that happen to name tuple."""
import collections

import jax
from jax.sharding import PartitionSpec as P

Axes = collections.namedtuple("Axes", ["rows", "cols"])
tree = {"a": Axes("data", None), "b": ("data", "model"), "c": P("data")}


def as_spec(leaf):
    if isinstance(leaf, P):
        return leaf
    if isinstance(leaf, Axes):
        return P(leaf.rows, leaf.cols)
    return P(*leaf) if isinstance(leaf, tuple) else P(leaf)


specs = jax.tree.map(as_spec, tree, is_leaf=lambda v: isinstance(v, (tuple, P)))
print(specs["b"] == P("data", "model"), tree["b"] == ("data", "model"))
