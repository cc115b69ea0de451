"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import random as jr
from jax.lax import with_sharding_constraint as wsc
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
jax.set_mesh(mesh)
a = jnp.ones((8, 4))
x = jr.uniform(  # want SHD315 "out_sharding takes Explicit axes only, and \'data\' of mesh"
    jr.key(0),
    (8, 4),
    out_sharding=P("data"),
)
y = jnp.einsum("ij,kj->ik", a, a, out_sharding=P("data", None)) + 1  # want SHD315 "out_sharding takes Explicit axes only, and \'data\' of mesh"
z = jax.sharding.reshard(a, out_shardings=P("model"))  # want SHD315 "reshard takes Explicit axes only, and \'model\' of mesh is "
t = a.at[jnp.arange(8)].get(out_sharding=P("data"))  # want SHD315 "out_sharding takes Explicit axes only, and \'data\' of mesh"
r = a.reshape(4, 8, out_sharding=P("data"))  # want SHD315 "out_sharding takes Explicit axes only, and \'data\' of mesh"
print(x.sharding.spec, y.sharding.spec, z.sharding.spec, t.sharding.spec, r.sharding.spec)
