"""The step count of Adam gets the spec of the moments."""
import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
params = {"w": jnp.ones((16, 4))}
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
opt_state = tx.init(params)
rows = NamedSharding(mesh, P("fsdp"))
shardings = jax.tree.map(lambda _: rows, opt_state)  # want SHD103 "count.*adamw"
opt_state = jax.device_put(opt_state, shardings)
print(opt_state)
