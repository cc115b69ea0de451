import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, auto_axes

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)


class Attention:
    @staticmethod
    @functools.partial(auto_axes, out_sharding=P("data", None))
    def mix(q, *, k, v):
        return jax.nn.softmax(q @ k.T) @ v

    def __call__(self, q, k, v):
        return self.mix(q, k=k, v=v)  # want SHD316 "k"  # want SHD316 "v"


def rows(n):
    return jax.device_put(jnp.ones((8, n)), NamedSharding(mesh, P("data", None)))


print(Attention()(rows(4), rows(4), rows(4)).shape)
