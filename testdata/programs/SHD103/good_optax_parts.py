"""Only the moments of an optimizer's state are laid out by rows; the step count stays whole."""
import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
rows, whole = NamedSharding(mesh, P("fsdp")), NamedSharding(mesh, P())
params = {"w": jnp.ones((16, 4))}
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
state = tx.init(params)
moments = jax.device_put(state[1][0].mu, rows)
by_rank = jax.device_put(state, jax.tree.map(lambda x: rows if x.ndim else whole, state))
everywhere = jax.device_put(state, whole)
momentum = jax.tree.map(lambda x: jax.device_put(x, rows), optax.sgd(0.1, momentum=0.9).init(params))
_, (adam, *rest) = state
print(moments, by_rank, everywhere, momentum, jax.device_put(adam.nu, rows))
