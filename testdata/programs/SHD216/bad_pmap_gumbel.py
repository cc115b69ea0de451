from functools import partial

import jax
import jax.numpy as jnp
from jax import random as jrandom

SEED = 11


@partial(jax.pmap, axis_name="dev", in_axes=(None, 0))
def sample_tokens(step, logits):
    key = jrandom.fold_in(jrandom.PRNGKey(SEED), step)
    key, sub = jrandom.split(key)
    return jrandom.categorical(sub, logits, axis=-1)  # want SHD216 "dev"


tokens = sample_tokens(3, jnp.zeros((8, 4, 100)))
print(tokens[0], tokens[1])
