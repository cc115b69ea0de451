"""Names that no mesh has, where that is right."""
import os

import jax
import jax.numpy as jnp
import flax.linen as nn
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

AUTO = AxisType.Auto
small = jax.make_mesh((8,), ("data",), axis_types=(AUTO,))
big = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AUTO, AUTO))
mesh = big if os.environ.get("TP") else small

LOGICAL = P("batch", "embed")  # never meets a mesh as it is


def filtered(spec, mesh):
    """Drops what the mesh does not have."""
    return P(*(name if name in mesh.axis_names else None for name in spec))


def resolve(names, rules):
    table = dict(rules)
    return P(*(table.get(n) for n in names))


rules = (("batch", "data"), ("embed", None))
x = jnp.ones((8, 4))
for m in (small, big):
    print(jax.device_put(x, NamedSharding(m, filtered(P("data", "model"), m))).sharding.spec)
print(NamedSharding(small, resolve(LOGICAL, rules)))
if "model" in mesh.shape:
    print(NamedSharding(mesh, P("data", "model")))
if len(mesh.axis_names) > 1:
    print(jax.device_put(x, NamedSharding(mesh, P(None, "model"))).sharding)


class Dense(nn.Module):
    @nn.compact
    def __call__(self, x):
        w = self.param("w", nn.with_partitioning(nn.initializers.ones_init(), ("embed", "mlp")), (4, 4))
        return nn.with_logical_constraint(x @ w, ("batch", "mlp"))


print(jax.eval_shape(Dense().init, jax.random.key(0), x))
