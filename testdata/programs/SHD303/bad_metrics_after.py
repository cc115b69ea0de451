"""The old state is read for a norm after it was donated, through an attribute and a helper."""
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp


def global_norm(tree):
    return jnp.sqrt(sum(jnp.vdot(x, x) for x in jax.tree.leaves(tree)))


@dataclass
class Options:
    donate: tuple = (0,)


opts = Options()


class Trainer:
    def __init__(self):
        self.params = {"w": jnp.ones((8, 8)), "b": jnp.zeros((8,))}
        self.update = jax.jit(self._update, donate_argnums=opts.donate)

    @staticmethod
    def _update(params, x):
        return jax.tree.map(lambda p: p - x.mean(), params)

    def step(self, x):
        new = self.update(self.params, x)
        drift = global_norm(self.params) - global_norm(new)  # want SHD303 "self\.params"
        self.params = new
        return drift


print(Trainer().step(jnp.ones((2, 8))))
