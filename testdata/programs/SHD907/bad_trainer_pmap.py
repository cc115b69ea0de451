"""New code that starts with pmap in a decorator with options."""
import functools

import jax
import jax.numpy as jnp


class Trainer:
    axis = "batch"

    @functools.partial(jax.pmap, axis_name=axis, static_broadcasted_argnums=0)  # want SHD907 "shard_map"
    def evaluate(self, x):
        return jax.lax.pmean(x.mean(), self.axis)


print(Trainer().evaluate(jnp.ones((8, 4)))[0])
