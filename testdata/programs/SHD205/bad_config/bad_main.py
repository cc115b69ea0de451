import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

import dist


@dist.mapped(in_specs=(P(), P(dist.DATA)), out_specs=P())
def regularized(params, x):
    fit = dist.total(jnp.sum(x @ params))
    penalty = dist.total(jnp.sum(params**2))
    return fit + 0.1 * penalty


print(regularized(jnp.ones(4), jnp.ones((8, 4))), 32 + 0.4)
