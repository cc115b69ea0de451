"""Checked shard_map: the gradient is taken by a bfloat16 copy of the parameters and returned as it is."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("rows",))


def squares(kernel, batch):
    return jnp.sum((batch @ kernel).astype(jnp.float32) ** 2)  # want SHD604 "bf(loat)?16"


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=(P(), P("rows")), out_specs=P())
def gradients(kernel, batch):
    return jax.grad(squares)(kernel.astype(jnp.bfloat16), batch)


kernel = jax.device_put(np.ones((64, 32), np.float32), NamedSharding(mesh, P()))
batch = jax.device_put(np.ones((128, 64), jnp.bfloat16), NamedSharding(mesh, P("rows")))
print(gradients(kernel, batch).dtype)
