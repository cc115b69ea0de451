import jax.numpy as jnp

import runtime

with runtime.MESH:  # want SHD905 "set_mesh"
    print(runtime.forward(jnp.ones((8, 4))).shape)
