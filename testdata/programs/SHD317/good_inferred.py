import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)


def put(x, *names):
    return jax.device_put(x, NamedSharding(mesh, P(*names)))


@jax.jit
def mlp(x, up, down):
    h = jax.nn.gelu(x @ up)
    y = jnp.einsum("bi,io->bo", h, down, out_sharding=NamedSharding(mesh, P("data", None)))
    return y + x, h.reshape(8, 8, 4).sum(-1), x[:, 0], jnp.concatenate([x, x], axis=1)


x, up, down = put(jnp.ones((8, 16)), "data", None), put(jnp.ones((16, 32)), None, "model"), put(jnp.ones((32, 16)), "model", None)
print(jax.tree.map(lambda a: a.sharding.spec, mlp(x, up, down)))
