"""jit of a bound method: the weights come in through self."""
import jax
import jax.numpy as jnp


class Classifier:
    def __init__(self, key, dim=256, classes=1000):
        self.kernel = jax.random.normal(key, (dim, classes))
        self.bias = jnp.zeros((classes,))
        self.predict = jax.jit(self._forward)

    def _forward(self, x):
        return jax.nn.softmax(x @ self.kernel + self.bias)  # want SHD309 "self\.kernel"


print(Classifier(jax.random.key(0)).predict(jnp.ones((2, 256))).shape)
