"""Accumulating gradients of a parameter that was made varying."""
import jax
import jax.numpy as jnp
from jax import lax, P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss(w, x):
    return jnp.mean((x @ w["kernel"]) ** 2)


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def grads(w, x):
    wv = jax.tree.map(lambda a: lax.pcast(a, "data", to="varying"), w)

    def add(i, acc):
        g = jax.grad(loss)(wv, lax.dynamic_slice_in_dim(x, i, 1))
        return jax.tree.map(jnp.add, acc, g)

    zeros = jax.tree.map(jnp.zeros_like, w)
    total = lax.fori_loop(0, 2, add, zeros)  # want SHD208 "data"
    return lax.pmean(total, "data")


print(grads({"kernel": jnp.ones((4, 2))}, jnp.ones((16, 4)))["kernel"].shape)
