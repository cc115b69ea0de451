"""Names that the mesh lacks are dropped before the spec meets it."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
LOGICAL = {"batch": ("replica", "data"), "embed": "tensor", "mlp": None}


def to_mesh(entry):
    if entry is None:
        return None
    if isinstance(entry, (tuple, list)):
        kept = tuple(a for a in entry if a in mesh.axis_names)
        return kept or None
    return entry if entry in mesh.shape else None


def physical(*logical):
    return P(*[to_mesh(LOGICAL[n]) for n in logical])


logical_spec = P("batch", "embed")
x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, physical(*logical_spec)))
print(x.sharding)


def manual(names):
    names = set(names) & set(mesh.axis_names)
    return P(*sorted(names))


print(jax.device_put(jnp.ones(8), NamedSharding(mesh, manual({"data", "stage"}))).sharding)
