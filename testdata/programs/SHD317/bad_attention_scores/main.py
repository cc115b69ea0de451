import jax
import jax.numpy as jnp

from model import Attention
from mesh import shard

x = shard(jnp.ones((8, 4, 32)), "data", None, "model")
print(Attention(32)(x).shape)
