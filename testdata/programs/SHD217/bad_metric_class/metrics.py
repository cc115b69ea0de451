import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class Masked:
    values: jax.Array
    mask: jax.Array
    axis: str = "data"
    eps: float = 1e-6

    def local(self):
        weight = self.mask.sum()
        return jnp.sum(self.values * self.mask) / (weight + self.eps)

    def reduce(self):
        return jax.lax.pmean(self.local(), self.axis)  # want SHD217 "mask|weight"
