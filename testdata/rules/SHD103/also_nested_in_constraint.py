import jax
import numpy as np
import jax.sharding as shd

mesh = shd.Mesh(np.array(jax.devices()), ("fsdp",))


def place(tree):
    return jax.tree.map(lambda leaf: jax.device_put(leaf, shd.NamedSharding(mesh, shd.PartitionSpec(None, "fsdp"))), tree)


@jax.jit
def scale(x):
    return jax.lax.with_sharding_constraint(x * 2, shd.NamedSharding(mesh, shd.PartitionSpec(None, "fsdp")))  # want SHD103 "P\(None, 'fsdp'\) needs rank 2 or more, but the array has rank"


print(scale(np.ones((16,), np.float32)).shape)
