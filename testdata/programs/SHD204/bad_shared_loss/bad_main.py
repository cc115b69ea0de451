import jax
import jax.numpy as jnp

from losses import global_mean_squared

x = jnp.arange(16.0).reshape(8, 2)


def per_device(w, x):
    value, g = jax.value_and_grad(global_mean_squared)(w, x)
    return g


grads = jax.pmap(per_device, axis_name="i", in_axes=(None, 0))(jnp.float32(1.0), x)
print(grads[:3], jax.grad(lambda w: jnp.sum((x * w) ** 2) / 16)(1.0))
