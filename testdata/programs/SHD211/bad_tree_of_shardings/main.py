import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from shardings import MESH, constrain


def update(params, grads):
    new = jax.tree.map(lambda p, g: p - 0.1 * jax.lax.pmean(g, "data"), params, grads)
    return constrain(new)


specs = {"w": P("model"), "b": P()}
step = jax.shard_map(update, mesh=MESH, in_specs=(specs, specs), out_specs=specs, check_vma=False)
p = {"w": jnp.ones((8, 4)), "b": jnp.ones(4)}
print(jax.jit(step)(p, p)["w"].shape)
