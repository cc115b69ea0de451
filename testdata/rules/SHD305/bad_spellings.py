"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import numpy as xnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("x",))
rows = NamedSharding(mesh, P("x"))
a = jax.device_put(xnp.zeros((4096, 64),), rows)  # want SHD305 "xnp\.zeros makes the whole array \(1\.0 MiB\) on one device "
b = jax.device_put(  # want SHD305 "jnp\.full makes the whole array \(1\.0 MiB\) on one device b"
    jnp.full(
        (4096, 64),
        2.0,
        dtype=jnp.float32,
    ),
    device=rows,
)
key = jax.random.PRNGKey(0)
c = jax.device_put(jax.random.normal(key, (4096, 64)), rows)  # want SHD305 "jax\.random\.normal makes the whole array \(1\.0 MiB\) on on"


def init(key, width):
    return {"w": jax.random.normal(key, (4096, width)), "b": jnp.zeros((4096,))}


class T:
    def __init__(self):
        self.params = init(jax.random.key(1), 64)
        self.params = jax.device_put(self.params, rows)  # want SHD305 "the array is made whole on one device \(1\.0 MiB\) before de"


d = jax.device_put(init(jax.random.key(1), 64), NamedSharding(mesh, P("x")))  # want SHD305 "the array is made whole on one device \(1\.0 MiB\) before de"
print(a.sharding.spec, b.sharding.spec, c.sharding.spec, T().params["w"].sharding.spec, d["w"].sharding.spec)
