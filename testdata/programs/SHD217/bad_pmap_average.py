"""jnp.average with weights and a where-mean in pmap."""
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.pmap, axis_name="i")
def masked(x, mask):
    count = mask.sum()
    return jax.lax.pmean((x * mask).sum() / jnp.clip(count, 1), "i")  # want SHD217 "count|mask"


@partial(jax.pmap, axis_name="i")
def where(x, mask):
    return jax.lax.pmean(jnp.mean(x, where=mask > 0), "i")  # want SHD217 "mask"


print(masked(jnp.ones((8, 4)), jnp.ones((8, 4))), where(jnp.ones((8, 4)), jnp.ones((8, 4))))
