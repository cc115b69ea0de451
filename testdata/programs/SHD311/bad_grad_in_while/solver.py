import jax


def minimize(objective, p, steps, lr=0.1):
    i = 0
    while i < steps:
        value, g = jax.jit(jax.value_and_grad(lambda q: objective(q) + 0.0 * i))(p)  # want SHD311 "jax\.jit"
        p = p - lr * g
        i += 1
    return value, p
