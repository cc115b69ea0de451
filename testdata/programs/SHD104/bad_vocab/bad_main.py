import jax
import jax.numpy as jnp

from sizes import SIZES
from sharding import place

for name, shape in SIZES.items():
    table = place(jnp.zeros(shape), "model", None)
    print(name, table.shape)
