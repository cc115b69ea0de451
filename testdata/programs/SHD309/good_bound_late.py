"""Large arrays that come in as arguments, and closed-over values that are no arrays, or small."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

BIG = np.ones((1024, 1024), np.float32)
SCALES = jnp.linspace(0, 1, 8)
CONFIG = {"heads": 8}


@jax.jit
def apply(table, x):
    return (x @ table).reshape(x.shape[0], CONFIG["heads"], -1) * SCALES[:, None]


call = partial(apply, jnp.asarray(BIG))


def main():
    print(call(jnp.ones((4, 1024))).shape)


main()
