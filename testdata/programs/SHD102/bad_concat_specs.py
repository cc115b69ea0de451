"""Specs are joined: the leading layer dimension takes an axis that is used already."""
import jax
import jax.numpy as jnp
from jax import sharding as js
from jax.experimental import mesh_utils

P = js.PartitionSpec
mesh = js.Mesh(mesh_utils.create_device_mesh((2, 4)), ("stage", "model"))
layer = {"wi": P(None, "model"), "wo": P("model", None), "norm": P(None)}
stacked = jax.tree.map(lambda s: P("stage", *s), layer, is_leaf=lambda s: isinstance(s, P))
wrong = {k: P("model", *s) for k, s in layer.items()}  # want SHD102 "model"
params = {"wi": jnp.ones((4, 4, 8)), "wo": jnp.ones((2, 8, 4)), "norm": jnp.ones((4, 4))}

print(jax.device_put(params["wi"], js.NamedSharding(mesh, stacked["wi"])).sharding)
print(jax.device_put(params["norm"], js.NamedSharding(mesh, wrong["norm"])).sharding)
print(jax.device_put(params["wi"], js.NamedSharding(mesh, wrong["wi"])).sharding)
