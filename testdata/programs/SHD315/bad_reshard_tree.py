import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((4, 2)), ("fsdp", "tensor"))
specs = {"w": P("fsdp", "tensor"), "b": P(None)}
shardings = jax.tree.map(lambda s: NamedSharding(mesh, s), specs, is_leaf=lambda s: isinstance(s, P))


@jax.jit
def replicate_then_shard(params):
    return {name: jax.sharding.reshard(p, shardings[name]) for name, p in params.items()}  # want SHD315 "fsdp|tensor"


print(jax.tree.map(jnp.shape, replicate_then_shard({"w": jnp.ones((8, 8)), "b": jnp.ones(8)})))
