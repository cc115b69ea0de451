import jax
import jax.numpy as jnp

from cluster import connect, rows
from writer import Writer

connect()
params = {"w": jax.jit(jnp.ones, static_argnums=0, out_shardings=rows())((8, 4))}
Writer("/tmp").save(params)
