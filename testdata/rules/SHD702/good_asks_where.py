import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
y = jax.jit(lambda x: x + 1, out_shardings=rows)(jnp.ones((8, 3)))
if y.is_fully_addressable:
    print(y.tolist())
print(np.asarray(y) if y.is_fully_addressable else y.addressable_data(0))
