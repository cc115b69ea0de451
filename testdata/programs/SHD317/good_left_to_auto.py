import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, auto_axes

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
loose = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
x = jax.device_put(jnp.ones((8, 16)), NamedSharding(mesh, P("data", "model")))
w = jax.device_put(jnp.ones((16, 32)), NamedSharding(mesh, P("model", None)))


@auto_axes(out_sharding=NamedSharding(mesh, P("data", None)))
def product(x, w):
    return jnp.sort(x @ w, axis=0)


xa = jax.device_put(jnp.ones((8, 16)), NamedSharding(loose, P("data", "model")))
wa = jax.device_put(jnp.ones((16, 32)), NamedSharding(loose, P("model", None)))
with jax.set_mesh(mesh):
    print(product(x, w).sharding.spec)
print(jax.jit(lambda x, w: jnp.sort(x @ w, axis=0)[0])(xa, wa).shape)
