"""Carries that differ as their next value does, and loops over values that are equal everywhere."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def varying(tree, axis="data"):
    return jax.tree.map(lambda t: lax.pcast(t, axis, to="varying"), tree)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=(P("data"), P()))
def run(w, xs):
    init = varying({"sum": jnp.zeros(4), "n": jnp.zeros((), jnp.int32)})

    def body(carry, x):
        return {"sum": carry["sum"] + w * x, "n": carry["n"] + (x > 0).sum()}, None

    carry, _ = lax.scan(body, init, xs)
    power, _ = lax.scan(lambda c, _: (c * w, None), jnp.ones(4), None, length=3)
    flag = lax.cond(w.sum() > 0, lambda: xs[0], lambda: xs[0] * 0)
    return carry["sum"][None] + flag, power


print(run(jnp.ones(4), jnp.ones((16, 4)))[0].shape)
