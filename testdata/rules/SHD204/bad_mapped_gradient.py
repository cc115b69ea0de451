"""The mapped function is itself the gradient: its call is outside of the region, where a psum has no axis."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("i",), axis_types=(AxisType.Auto,))


def loss(w, x):
    return jax.lax.psum((x * w).sum(), "i")  # want SHD204 "psum over 'i' inside the differentiated function makes the gradient 8 times the local one"


f = jax.shard_map(jax.grad(loss, 1), mesh=mesh, in_specs=(P(), P("i")), out_specs=P("i"), check_vma=False)
print(f(1.0, jnp.arange(8.0)))
