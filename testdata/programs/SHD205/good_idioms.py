"""Sizes, masked values, gathered sums and unknown inputs."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
run = partial(jax.shard_map, mesh=mesh, out_specs=P())


def size():
    return lax.psum(1, ("data", "model")) + lax.psum(1.0, "data")


def from_first(w):
    keep = lax.axis_index("data") == 0
    return lax.psum(jnp.where(keep, w, jnp.zeros_like(w)), "data")


def two_axes(x):
    rows = lax.psum(x.sum(), "data")
    return lax.psum(rows, "model")


def loop(x):
    total = x.sum()
    for axis in ("data", "model"):
        total = lax.psum(total, axis)
    return total


def cast_first(w):
    w = lax.pcast(w, "data", to="varying")
    return lax.pmean(w * 2, "data")


def part_of(w, x):
    i = lax.axis_index("model")
    return lax.psum(lax.dynamic_index_in_dim(w, i, keepdims=False), ("model",)) + lax.pmean(x.mean(), ("data", "model"))


print(run(lambda w: size() + w, in_specs=P())(jnp.ones(())))
for f in (from_first, cast_first):
    print(run(f, in_specs=P())(jnp.ones(4)).shape)
for f in (two_axes, loop):
    print(run(f, in_specs=P("data", "model"))(jnp.ones((8, 4))))
print(run(part_of, in_specs=(P(), P("data", "model")))(jnp.ones((2, 3)), jnp.ones((8, 4))).shape)
