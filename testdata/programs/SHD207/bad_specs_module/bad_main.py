import jax
import jax.numpy as jnp

from layout import MESH, specs_of
from model import apply

IN, OUT = specs_of("column")
forward = jax.shard_map(apply, mesh=MESH, in_specs=IN, out_specs=OUT)  # want SHD207 "model"
print(forward(jnp.ones((8, 4)), jnp.ones((4, 6))).shape)
