"""Code that names pmap without mapping anything by it, and a function that asks whether it is traced."""
import jax
import jax.numpy as jnp

kinds = {type(transform(lambda x: x)) for transform in (jax.jit, jax.vmap, jax.pmap)}
is_mapped = any(f is jax.pmap for f in (jax.vmap, jax.jit))


def pmap(f, axis_name=None):
    """A stand-in on one device."""
    return jax.vmap(f, axis_name=axis_name)


print(len(kinds), is_mapped, pmap(lambda x: x + 1)(jnp.ones((2, 2))).shape)
