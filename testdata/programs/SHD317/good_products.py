import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
put = lambda a, *s: jax.device_put(a, NamedSharding(mesh, P(*s)))


@jax.jit
def mlp(up, down, x):
    h = jax.nn.relu(x @ up)
    return jnp.matmul(h, down, out_sharding=P("data", None))


@jax.jit
def heads(x):
    return x.reshape(8, 4, 2, 8).sum(-1)


with jax.set_mesh(mesh):
    x = put(jnp.ones((8, 16)), "data", None)
    print(mlp(put(jnp.ones((16, 32)), None, "model"), put(jnp.ones((32, 16)), "model", None), x).shape)
    print((put(jnp.ones((8, 4)), None, "model") @ jnp.ones((4, 2))).shape, x.sum(0).shape, jnp.where(x > 0, x, 0).shape)
