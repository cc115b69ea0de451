"""A sweep compiles one program per configuration, which then runs many steps."""
import jax
import jax.numpy as jnp


def make_step(lr):
    @jax.jit
    def step(w, x):
        return w - lr * jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)

    return step


results = {}
for lr in (0.1, 0.01):
    step = make_step(lr)
    w = jnp.ones(4)
    for _ in range(3):
        w = step(w, jnp.ones((2, 4)))
    results[lr] = float(w.sum())
print(results)
