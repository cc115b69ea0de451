import jax
import jax.numpy as jnp

TRANSFORMS = {"parallel": jax.pmap, "batched": jax.vmap}


def mapped(kind, fn, **kw):
    return TRANSFORMS[kind](fn, **kw)  # want SHD907 "pmap"


print(mapped("parallel", jnp.sin, axis_name="d")(jnp.ones((8, 2))).shape, mapped("batched", jnp.cos)(jnp.ones((3, 2))).shape)
