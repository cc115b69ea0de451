"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import sharding as shd
from jax.sharding import PartitionSpec

mesh = shd.Mesh(np.array(jax.devices()), ("data",))


def put(x):
    return jax.device_put(x, device=PartitionSpec("data"))  # want SHD312 "device_put finds no mesh for a bare PartitionSpec"


@jax.jit
def f(x):
    return jax.lax.with_sharding_constraint(  # want SHD312 "with_sharding_constraint finds no mesh for a bare PartitionS"
        x * 2,
        PartitionSpec("data"),
    )


print(put(np.ones((8, 4))).sharding.spec)
print(f(jnp.ones((8, 4))).sharding.spec)
with mesh as m:
    g = jax.jit(lambda x, y: x + y, in_shardings=(PartitionSpec("data"), None))  # want SHD312 "jit finds no mesh for a bare PartitionSpec"
    print(g(np.ones((8, 4)), np.ones((8, 4))).sharding.spec)
