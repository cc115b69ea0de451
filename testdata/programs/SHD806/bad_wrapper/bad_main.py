import equinox as eqx
import jax
import numpy as np

from compile import compiled

model = eqx.nn.MLP(4, 2, 8, 1, key=jax.random.key(0))
predict = compiled(lambda m, x: jax.vmap(m)(x))
print(predict(model, np.ones((8, 4), np.float32)).shape)
