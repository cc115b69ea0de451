"""in_shardings of a jitted step; the batch is microbatched wrongly."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

DP = 8
mesh = Mesh(np.array(jax.devices()).reshape(DP, 1), ("dp", "tp"))
rep = NamedSharding(mesh, P())
data = NamedSharding(mesh, P("dp"))
GLOBAL_BATCH, ACCUM = 48, 4


@jax.jit
def loss(p, x):
    return ((x @ p) ** 2).mean()


step = jax.jit(lambda p, x: jax.grad(loss)(p, x), in_shardings=(rep, data), out_shardings=rep)
p = jnp.ones((4, 4))
full = np.ones((GLOBAL_BATCH, 4), np.float32)
g = step(p, full)
for micro in np.split(full, ACCUM):
    g = step(p, micro)  # want SHD104 "12.*8"
print(step(p, full[: GLOBAL_BATCH // ACCUM]))  # want SHD104 "12.*8"
