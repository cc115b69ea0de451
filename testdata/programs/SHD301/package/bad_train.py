import jax.numpy as jnp

from steps import train_step


class Loop:
    def __init__(self):
        self.params = jnp.ones((64, 64))
        self.opt = jnp.zeros((64, 64))

    def run(self, n):
        for _ in range(n):
            self.params, self.opt = train_step(self.params, self.opt, jnp.ones((4, 64)))
        return self


print(Loop().run(3).params.shape)
