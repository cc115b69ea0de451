import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devs = np.array(jax.devices())
half_a, half_b = devs[:4], devs[4:]
a = Mesh(half_a, ("i",))
b = Mesh(half_b, ("i",))
c = Mesh(devs.reshape(2, 4), ("r", "c"))
d = Mesh(devs.reshape(8), ("all",))


def put(mesh, *spec):
    return jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, P(*spec)))


add = jax.jit(lambda x, y: x + y)
add(put(a, "i"), put(a, None, "i"))
add(put(c, "r"), put(d, "all"))
add(put(a, "i"), put(b, "i"))  # want SHD107 "a and b"
add(put(c, "r"), y=put(Mesh(np.flip(devs), ("flip",)), "flip"))  # want SHD107 "c and"
