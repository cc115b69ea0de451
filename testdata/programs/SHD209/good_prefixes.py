"""Prefixes, defaults, var-args, None leaves and NamedTuples."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh)
D = P("d")


class Out(NamedTuple):
    total: jax.Array
    rows: jax.Array


def defaults(x, y, scale=2.0):
    return x * scale + y


def varargs(*xs):
    return sum(xs)


def out(x):
    return Out(jax.lax.psum(x.sum(), "d"), x)


def tree(batch, state=None):
    return {"a": batch["x"], "b": (batch["y"], batch["y"])}


def maybe(x, flag):
    return x, (x if flag else -x)


print(smap(defaults, in_specs=(D, D), out_specs=D)(jnp.ones(8), jnp.ones(8)).shape)
print(smap(varargs, in_specs=(D, D, P()), out_specs=D)(jnp.ones(8), jnp.ones(8), jnp.ones(1)).shape)
print(smap(out, in_specs=D, out_specs=Out(P(), D))(jnp.ones(8)).rows.shape, smap(out, in_specs=D, out_specs=(P(), D))) if False else None
print(smap(tree, in_specs=D, out_specs=D)({"x": jnp.ones(8), "y": jnp.ones(8)})["a"].shape)
print(smap(tree, in_specs=(D,), out_specs={"a": D, "b": (D, D)})({"x": jnp.ones(8), "y": jnp.ones(8)})["a"].shape)
print(smap(partial(defaults, scale=3.0), in_specs=(D, D), out_specs=D)(jnp.ones(8), jnp.ones(8)).shape)
print(smap(lambda *a: a[0], in_specs=(D, D), out_specs=D)(jnp.ones(8), jnp.ones(8)).shape)
print(smap(lambda x, f: f(x), in_specs=(D, None), out_specs=D)(jnp.ones(8), jnp.sin).shape) if False else None
print(len(smap(partial(maybe, flag=True), in_specs=(D,), out_specs=(D, D))(jnp.ones(8))))
