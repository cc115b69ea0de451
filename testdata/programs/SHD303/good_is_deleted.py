"""A test of donation: is_deleted and shapes may be asked."""
import jax
import jax.numpy as jnp


def test_donation_deletes():
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.ones((4, 4))
    y = f(x)
    assert x.is_deleted()
    assert x.shape == y.shape and x.dtype == y.dtype
    assert x.nbytes == y.nbytes


def test_not_donated():
    f = jax.jit(lambda x, y: x + y, donate_argnums=(1,))
    x, y = jnp.ones(4), jnp.ones(4)
    z = f(x, y)
    assert not x.is_deleted() and float(x.sum() + z.sum()) > 0


test_donation_deletes()
test_not_donated()
