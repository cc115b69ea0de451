import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from api import compile_fn

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
print(compile_fn(lambda x: x * 2, rows)(jnp.ones(8)).sharding.spec)
