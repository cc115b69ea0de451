"""The odd table is only an intermediate: what leaves the function divides evenly."""
import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((8,)), ("model",))
rows = NamedSharding(mesh, P("model", None))
VOCAB = 1021


@jax.jit
def embed(table, ids):
    table = jax.lax.with_sharding_constraint(table, rows)
    hidden = jnp.take(table, ids, axis=0)
    return jax.lax.with_sharding_constraint(hidden, rows)


hidden = embed(jnp.ones((VOCAB, 16)), jnp.zeros(64, jnp.int32))
print(hidden.sharding.spec)
