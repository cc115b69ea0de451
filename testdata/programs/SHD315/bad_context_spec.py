"""Bare specs under a context of Auto axes."""
import functools

import jax
import jax.numpy as np
import jax.sharding as shd

mesh = shd.Mesh(jax.devices(), ("x",))
einsum = functools.partial(np.einsum, out_sharding=shd.PartitionSpec("x"))


@jax.jit
def f(a, b):
    return einsum("ij,jk->ik", a, b)  # want SHD315 "x"


@jax.jit
def lookup(table, ids):
    return table.at[ids].get(out_sharding=shd.PartitionSpec("x"))  # want SHD315 "x"


with jax.set_mesh(mesh):
    for call in (lambda: f(np.ones((8, 4)), np.ones((4, 4))), lambda: lookup(np.ones((8, 4)), np.zeros(8, int))):
        try:
            print(call())
        except Exception as e:
            print(type(e), str(e)[:100])
