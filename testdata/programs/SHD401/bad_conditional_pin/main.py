import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh

from blocks import mlp

with jax.set_mesh(Mesh(mesh_utils.create_device_mesh((8,)), ("model",))):
    print(jax.jit(mlp)(jnp.ones((4, 16))).shape)
