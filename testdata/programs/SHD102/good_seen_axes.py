"""Axes used before are left out while the spec is built, as the logical rules of Flax do."""
import jax
import jax.numpy as jnp
from flax import linen as nn
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
RULES = [("batch", "data"), ("seq", "data"), ("embed", "model"), ("mlp", "model")]


def spec_of(*names):
    used, out = set(), []
    for n in names:
        axis = next((a for k, a in RULES if k == n and a not in used), None)
        if axis is not None:
            used.add(axis)
        out.append(axis)
    return P(*out)


print(jax.device_put(jnp.ones((8, 8, 8)), NamedSharding(mesh, spec_of("batch", "seq", "embed"))).sharding)
print(NamedSharding(mesh, nn.logical_to_mesh_axes(("embed", "mlp"), RULES)))
unattached = P("data", "data")
print(unattached)
