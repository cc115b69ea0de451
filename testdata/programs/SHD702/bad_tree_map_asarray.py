import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
is_leader = jax.process_index() == 0
specs = {"up": P(None, "model"), "down": P("model", None)}
layout = jax.tree.map(lambda s: NamedSharding(mesh, s), specs, is_leaf=lambda s: isinstance(s, P))
init = jax.jit(lambda key: {"up": jax.random.normal(key, (8, 16)), "down": jnp.zeros((16, 8))}, out_shardings=layout)
params = init(jax.random.key(0))
exported = jax.tree.map(np.asarray, params)  # want SHD702 "params|asarray"
if is_leader:
    print({k: v.shape for k, v in exported.items()})
