import functools

import jax


@functools.partial(jax.jit, donate_argnums=(0,))
def update(params, x):
    return params - x.mean()


def apply(x, *, params):
    print("step")
    return update(params, x)


def maybe(params, x, frozen):
    if frozen:
        return params
    return update(params, x)
