"""The same entry twice says the same; other names are unique."""
import jax
import numpy as np
from flax import nnx
from jax.sharding import Mesh

COMMON = (("embed", "fsdp"),)
RULES = COMMON + (("mlp", "model"),) + COMMON
with jax.set_mesh(Mesh(np.array(jax.devices()).reshape(4, 2), ("fsdp", "model"))), nnx.logical_axis_rules(RULES):
    p = nnx.Param(np.ones((8, 4), np.float32), sharding_names=("embed", "mlp"))
    print(p.get_value().sharding.spec)
