import jax
import jax.numpy as jnp

from fsdp import FullyShardedLinear

layer = FullyShardedLinear(16, 8)
print(layer.export()["w"].shape)
