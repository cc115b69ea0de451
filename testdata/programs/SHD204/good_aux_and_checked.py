"""Reductions in aux outputs, after the gradient, under the check, or forward only."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = functools.partial(jax.shard_map, mesh=mesh)


def loss(w, x):
    l = jnp.mean((x @ w) ** 2)
    return l, {"loss": lax.pmean(l, "d"), "n": lax.psum(1, "d")}


@functools.partial(smap, in_specs=(P(), P("d")), out_specs=P(), check_vma=False)
def step(w, x):
    (_, aux), g = jax.value_and_grad(loss, has_aux=True)(w, x)
    return w - lax.pmean(g, "d"), aux


@functools.partial(smap, in_specs=(P(), P("d")), out_specs=P())
def checked(w, x):
    return jax.grad(lambda w: lax.pmean(jnp.mean((x @ w) ** 2), "d"))(w)


@functools.partial(smap, in_specs=(P(), P("d")), out_specs=P(), check_vma=False)
def forward(w, x):
    return lax.psum(jnp.sum(x @ w), "d")


@functools.partial(smap, in_specs=(P(), P("d")), out_specs=P(), check_vma=False)
def stopped(w, x):
    def f(w):
        scale = lax.psum(lax.stop_gradient(jnp.sum(x)), "d")
        return jnp.mean(x @ w) / scale

    return lax.pmean(jax.grad(f)(w), "d")


w, x = jnp.ones((4, 1)), jnp.ones((16, 4))
print(step(w, x), checked(w, x), forward(w, x), stopped(w, x))
