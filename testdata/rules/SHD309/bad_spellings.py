"""The same in other spellings."""
import jax
import jax.numpy as jnp
import functools

TABLE = jnp.ones((512, 512))
W = jnp.ones((512, 512))


@functools.partial(jax.jit, static_argnames=("scale",))
def embed(x, scale=2):
    return x @ TABLE * scale  # want SHD309 "the jitted function captures TABLE, which becomes a constan"


@jax.jit
def two(x):
    y = x @ W  # want SHD309 "the jitted function captures W, which becomes a constant of"
    return y + (W @ x.T).T


def scan(xs):
    return [two(x) for x in xs]


f = jax.jit(lambda a, b: jnp.dot(a + b, W))  # want SHD309 "the jitted function captures W, which becomes a constant of"
print(f(jnp.ones((4, 512)), b=jnp.ones((4, 512))).sum(), scan([jnp.ones((2, 512))])[0].sum(), embed(jnp.ones((2, 512))).sum())
print(jax.jit(lambda a: a @ TABLE)(jnp.ones((2, 512))).sum())  # want SHD309 "the jitted function captures TABLE, which becomes a constan"
g = jax.jit(functools.partial(jnp.dot, b=W))  # want SHD309 "the jitted function captures W, which becomes a constant of"
print(g(jnp.ones((2, 512))).sum())
