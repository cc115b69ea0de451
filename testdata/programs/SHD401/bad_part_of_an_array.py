"""Nothing can be assigned to a part of an array, so that no edit is offered for it; an element of a dictionary takes the result."""
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((1,), ("rows",))
by_rows = NamedSharding(mesh, P("rows"))
table = jnp.ones((32, 4))
jax.device_put(table[::2], by_rows)  # want SHD401 "nothing is placed"
jax.device_put(table.T, by_rows)  # want SHD401 "nothing is placed"
params = {"w": table}
jax.device_put(params["w"], by_rows)  # want SHD401 "write params.+ = jax.device_put"
print(params["w"].sharding)
