"""value_and_grad of a closure over the batch, jitted anew."""
import jax
import jax.numpy as jnp
import numpy as np

features = jnp.asarray(np.random.default_rng(0).normal(size=(2048, 32)), jnp.float32)
targets = features @ jnp.arange(32.0)


def loss(w):
    return jnp.mean((features @ w - targets) ** 2)  # want SHD309 "features"


grad_fn = jax.jit(jax.value_and_grad(loss))
w = jnp.zeros(32)
for _ in range(3):
    value, g = grad_fn(w)
    w = w - 0.01 * g
print(value)
