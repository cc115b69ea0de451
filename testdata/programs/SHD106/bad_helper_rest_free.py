"""shard only the named dimensions, leave all others to the partitioner; the mesh is explicit."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec


def axis_types(mode, n):
    return {"auto": (AxisType.Auto,) * n, "explicit": (AxisType.Explicit,) * n}[mode]


def make(shape, names, mode="explicit"):
    return jax.make_mesh(shape, names, axis_types=axis_types(mode, len(shape)))


mesh = make((2, 4), ("replica", "tensor"))


def only(x, **dims):
    entries = [PartitionSpec.UNCONSTRAINED] * x.ndim
    for dim, axis in dims.items():
        entries[int(dim[1:])] = axis
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, PartitionSpec(*entries)))  # want SHD106 "UNCONSTRAINED"


@jax.jit
def heads(q):
    return only(q, d2="tensor").sum(-1)


print(heads(jnp.ones((2, 8, 4, 16))).shape)
