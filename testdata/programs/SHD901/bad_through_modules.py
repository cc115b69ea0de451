"""Old names reached through modules, aliases, getattr without default, and partial."""
import functools
import importlib

import jax
import jax.numpy as jnp
import jax.sharding
import jax.lax as L
from jax import sharding as shd
from jax.experimental import maps  # want SHD901 "maps"
from jax.interpreters import pxla
from jax.experimental.pjit import with_sharding_constraint as constrain, pjit  # want SHD901 "with_sharding_constraint" # want SHD902 "pjit"


class Layouts:
    def __init__(self, devices):
        self.devices = devices

    def positional(self):
        return shd.PositionalSharding(self.devices)  # want SHD901 "PositionalSharding"

    def replicate(self, tree):
        put = functools.partial(jax.device_put_replicated, devices=self.devices)  # want SHD901 "device_put_replicated"
        return put(tree)


def body(x):
    to_varying = L.pvary  # want SHD901 "pvary.*pcast"
    return to_varying(x, "data")


def tree_sizes(tree):
    return jax.tree_map(jnp.size, tree)  # want SHD901 "tree_map.*jax\.tree\.map"
