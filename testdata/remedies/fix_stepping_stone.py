"""A layout change that the partitioner cannot do in one step."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
named = lambda *spec: NamedSharding(mesh, P(*spec))


@jax.jit
def step(d):
    d = jnp.sin(d)
    d = jax.lax.with_sharding_constraint(d, named(None, ("x", "y"), None))
    return d * 2


d = jax.device_put(np.ones((64, 64, 64), np.float32), named("y", None, "x"))
print(float(step(d).sum()))
