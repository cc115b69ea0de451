"""The jitted init constrains the moments."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
rows = NamedSharding(mesh, P("fsdp"))
tx = optax.adam(1e-3)


@jax.jit
def init_state(params):
    state = tx.init(params)
    return jax.tree.map(lambda s: jax.lax.with_sharding_constraint(s, rows) if s.ndim == 2 else s, state)


params = jax.device_put({"w": np.ones((64, 64), np.float32)}, rows)
print(init_state(params)[0].mu["w"].sharding.spec)
