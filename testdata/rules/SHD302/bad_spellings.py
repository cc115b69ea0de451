"""The same in other spellings."""
import functools

import jax
import jax.numpy as jnp


def body(params, batch, key):
    return params - batch.mean(), key


NUMS = (0, 1)
run = jax.jit(  # want SHD302 "the donation of batch is unusable\: no output has its size"
    body,
    donate_argnums=(
        0,
        1,
    ),
)
other = functools.partial(jax.jit, donate_argnames=("params", "batch"))(body)  # want SHD302 "the donation of batch is unusable\: no output has its size"
third = jax.jit(body, donate_argnums=NUMS)  # want SHD302 "the donation of batch is unusable\: no output has its size"
print(run(jnp.ones((64, 8)), jnp.ones((4, 64)), jax.random.key(0))[0].shape)
print(other(jnp.ones((64, 8)), jnp.ones((4, 64)), jax.random.key(0))[0].shape)
print(third(jnp.ones((64, 8)), jnp.ones((4, 64)), jax.random.key(0))[0].shape)
