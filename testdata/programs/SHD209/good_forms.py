"""Prefixes, None leaves, star arguments, defaults, keyword-free calls."""
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = functools.partial(jax.shard_map, mesh=mesh)


def many(*xs):
    return sum(xs)


def with_default(x, y, scale=2.0, *, bias=0.0):
    return (x + y) * scale + bias


def three(a, b, c):
    return a, (b, c)


x = jnp.ones(8)
print(smap(many, in_specs=(P("d"),) * 3, out_specs=P("d"))(x, x, x))
print(smap(with_default, in_specs=(P("d"), P("d")), out_specs=P("d"))(x, x))
print(smap(functools.partial(with_default, scale=3.0), in_specs=P("d"), out_specs=P("d"))(x, x))
print(smap(functools.partial(with_default, x), in_specs=(P("d"),), out_specs=P("d"))(x) if False else 0)
print(smap(three, in_specs=P("d"), out_specs=(P("d"), P("d")))(x, x, x))
print(smap(three, in_specs=P("d"), out_specs=P("d"))(x, x, x))
print(smap(lambda p, y: y if p is None else p, in_specs=(None, P("d")), out_specs=P("d"))(None, x))
print(smap(lambda t: t["a"] + t["b"][0], in_specs=({"a": P("d"), "b": P("d")},), out_specs=P("d"))({"a": x, "b": [x]}))
print(smap(lambda: jax.lax.axis_index("d")[None], in_specs=(), out_specs=P("d"))())
