import equinox as eqx
import jax
import numpy as np

from options import JIT

run = eqx.filter_jit(lambda m, x: jax.vmap(m)(x), **JIT)  # want SHD806 "out_shardings"
print(run(eqx.nn.Linear(4, 4, key=jax.random.key(0)), np.ones((8, 4), np.float32)).shape)
