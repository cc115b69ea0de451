import jax
import jax.numpy as jnp


class Sampler:
    def __init__(self):
        self.run = jax.pmap(self.chain, in_axes=(0, None))

    @staticmethod
    def chain(x, n):
        return jnp.cumsum(x * n), x.max()

    def __call__(self, xs):
        chains, peaks = self.run(xs, 2)
        return chains[-1], float(peaks[0])  # want SHD906 "chains\[-1\]"  # want SHD906 "peaks\[0\]"


print(Sampler()(jnp.ones((8, 4)))[1])
