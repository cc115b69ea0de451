"""The same in other spellings."""
import jax
import jax.numpy as jnp
from jax import jit

update = jit(lambda s, g: (s - g, g.sum()), donate_argnums=(0,))


def main():
    params = jnp.ones((8, 8))
    grads = jnp.ones((8, 8))
    updated, total = update(params, grads)
    if total > 0:
        print(params.mean())  # want SHD303 "params was donated to update and is deleted"
    print(params.sum(), total)


def loop():
    p = jnp.ones((4, 4))
    for _ in range(3):
        q, t = update(p, jnp.ones((4, 4)))  # want SHD303 "p was donated to update and is deleted"
        print(q.sum(), t)


main()
loop()
