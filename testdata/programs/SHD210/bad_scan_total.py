import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("walkers",))


def chain(x):
    def sweep(energy, row):
        return energy + jnp.sum(row * row), None

    total, _ = lax.scan(sweep, 0.0 * x[0, 0], x)
    return total


energies = jax.shard_map(chain, mesh=mesh, in_specs=P("walkers"), out_specs=P("walkers"))  # want SHD210 "scalar|rank 0"
print(energies(jnp.ones((32, 3))))
