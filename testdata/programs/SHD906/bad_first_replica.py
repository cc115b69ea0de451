"""The first replica's state by index, as pmap's users have always written it."""
import jax
import jax.numpy as jnp
import numpy as np


def replicate(tree):
    n = jax.local_device_count()
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (n, *x.shape)), tree)


@jax.pmap
def init(key):
    return {"w": jax.random.normal(key, (4, 2)), "step": jnp.zeros(())}


def unreplicate(tree):
    return jax.tree.map(lambda x: x[0], tree)  # want SHD906 "addressable_data"


state = init(jax.random.split(jax.random.key(0), jax.local_device_count()))
print(unreplicate(state)["w"].shape)
