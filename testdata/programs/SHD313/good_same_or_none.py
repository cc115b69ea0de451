import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
flat = Mesh(np.array(jax.devices()), ("all",))


def total(m, axes):
    return jax.shard_map(lambda x: jax.lax.psum(x.sum(), axes), mesh=m, in_specs=P(axes), out_specs=P())


with jax.set_mesh(mesh):
    print(total(mesh, ("data", "model"))(jnp.ones(16)))
    print(jax.device_put(jnp.ones(8), NamedSharding(flat, P("all"))).shape)
    inherited = jax.shard_map(lambda x: jax.lax.psum(x.sum(), "data"), in_specs=P("data"), out_specs=P())
    print(inherited(jnp.ones(16)))
print(total(flat, "all")(jnp.ones(16)))
with jax.set_mesh(flat):
    print(total(flat, "all")(jnp.ones(16)))
