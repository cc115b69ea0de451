import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((8,)), ("batch",))
PAD = 0


def accuracy(logits, labels):
    real = labels != PAD
    correct = (logits.argmax(-1) == labels) & real
    n = jnp.count_nonzero(real)
    local = correct.sum() / jnp.where(n > 0, n, 1)
    return lax.pmean(local, "batch")  # want SHD217 "real|labels|n"


f = jax.shard_map(accuracy, mesh=mesh, in_specs=(P("batch"), P("batch")), out_specs=P())
print(f(jnp.ones((16, 5)), jnp.arange(16) % 3))
