"""A helper passes its parameter on to the jit that donates it, and a method unpacks a tuple into one."""
import jax
import jax.numpy as jnp
import steps


class Trainer:
    def __init__(self, params):
        self.params = params
        self._step = jax.jit(lambda p, x: p - x.sum(), donate_argnames="p")

    def step(self, x):
        args = (self.params, x)
        new = self._step(*args)
        return new - self.params  # want SHD303 "self\.params was donated"


params = jnp.ones(4)
new = steps.apply(jnp.ones(3), params=params)
print((new - params).sum())  # want SHD303 "params was donated to update in apply"
kept = jnp.ones(4)
steps.maybe(kept, jnp.ones(3), True)
print(kept)
print(Trainer(jnp.ones(4)).step(jnp.ones(3)))
