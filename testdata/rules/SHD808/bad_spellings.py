"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import device_put
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
dev = NamedSharding(mesh, P("data"))
m = device_put(np.zeros((8, 4), np.float32), dev.with_memory_kind("pinned_host"))
p = device_put(np.ones((8, 4), np.float32), dev)


@jax.jit
def f(p, m):
    a = p - (m * 0.5)  # want SHD808 "the operand \(m \* 0\.5\) lies in pinned_host memory and mee"
    b = jnp.add(p, -m)  # want SHD808 "the operand \-m lies in pinned_host memory and meets an arra"
    return a + b


print(f(p, m).shape, (p * m).shape)  # want SHD808 "the operand m lies in pinned_host memory and meets an array "
