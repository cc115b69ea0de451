"""A lambda that is mapped over leaves and their specs: the spec to change is that of one leaf, where it is written."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("dp", "tp"))
state = {"a": jnp.ones((8, 8)), "b": jnp.ones((8, 8))}
specs = {
    "a": P("dp"),
    "b": P("tp", None, None),  # want SHD103 "needs rank 3 or more, but x has rank 2"
}
state = jax.tree.map(lambda x, s: jax.device_put(x, NamedSharding(mesh, s)), state, specs)

wide = P("tp", None)
mixed = {"w": jnp.ones((8, 8)), "b": jnp.ones(8), "v": jnp.ones(8)}
mixed = jax.tree.map(
    lambda x, s: jax.device_put(x, NamedSharding(mesh, s)),  # want SHD103 "needs rank 2 or more, but x has rank 1"
    mixed,
    {"w": wide, "b": wide, "v": P("dp")},
)
