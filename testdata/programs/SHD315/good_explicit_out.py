import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P, reshard

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit, AxisType.Auto))
with jax.set_mesh(mesh):
    x = reshard(jnp.ones((8, 4)), P("data"))
    y = jax.jit(lambda a: jnp.einsum("bi,ij->bj", a, jnp.ones((4, 2)), out_sharding=P("data", None)))(x)
    print(y.shape, jax.random.normal(jax.random.key(0), (8, 2), out_sharding=P("data")).shape)
