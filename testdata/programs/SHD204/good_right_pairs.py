"""Pairs that are right, aux outputs, stop_gradient, and checked bodies."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
free = partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("d")), out_specs=P(), check_vma=False)


def local(w, x):
    return jnp.mean((x @ w) ** 2)


def with_aux(w, x):
    value = local(w, x)
    return value, lax.pmean(value, "d")


def counted(w, x):
    n = lax.psum(jnp.float32(x.shape[0]), "d")
    return jnp.sum((x @ w) ** 2) / lax.stop_gradient(n)


def aux_only(w, x):
    (_, mean), g = jax.value_and_grad(with_aux, has_aux=True)(w, x)
    return mean, lax.pmean(g, "d")


def both_means(w, x):
    return lax.pmean(jax.grad(lambda w: lax.pmean(local(w, x), "d"))(w), "d")


def sum_then_mean(w, x):
    return lax.pmean(jax.grad(lambda w: lax.psum(local(w, x), "d"))(w), "d")


def only_count(w, x):
    return lax.psum(jax.grad(counted)(w, x), "d")


w, x = jnp.ones(4), jnp.ones((16, 4))
print(jax.shard_map(aux_only, mesh=mesh, in_specs=(P(), P("d")), out_specs=(P(), P()), check_vma=False)(w, x)[0])
for f in (both_means, sum_then_mean, only_count):
    print(free(f)(w, x).shape)
checked = jax.shard_map(lambda w, x: jax.grad(lambda w: lax.psum(local(w, x), "d"))(w), mesh=mesh, in_specs=(P(), P("d")), out_specs=P())
print(checked(w, x).shape)
