import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from params import initializer

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
rows = NamedSharding(mesh, P("fsdp"))
init = initializer({"w": (64, 64), "v": (64, 8)})
params = init(jax.random.key(1))
batch = jax.device_put(np.ones((8, 64), np.float32), rows)
print(len(params["w"].sharding.device_set), (batch @ params["w"]).shape)
