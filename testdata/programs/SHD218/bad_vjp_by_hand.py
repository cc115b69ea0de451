import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2, 2), ("dp", "fsdp", "tp"))
BATCH = ("dp", "fsdp")


@jax.shard_map(mesh=mesh, in_specs={"w": P()} and (P(), P(BATCH)), out_specs=P(BATCH), check_vma=False)  # want SHD218 "tp"
def logits(w, x):
    return jnp.tanh(x @ w)


def objective(w, x):
    y, pull = jax.vjp(lambda w: logits(w, x), w)
    (g,) = pull(jnp.ones_like(y))
    return w - 0.1 * g


print(jax.jit(objective)(jnp.ones((4, 4)), jnp.ones((8, 4))).shape)
