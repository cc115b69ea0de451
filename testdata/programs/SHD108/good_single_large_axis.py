"""All axes but one have size one: any order of neighbours is as good as another."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(1, -1, 1), ("replica", "data", "model"))
print(jax.process_count(), jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P("data"))).sharding.spec)
