import flax.linen as nn
import jax
import numpy as np

from layer import Layer


class Decoder(nn.Module):
    depth: int = 4

    def setup(self):
        stack = nn.scan(Layer, variable_axes={"params": 0}, split_rngs={"params": True}, length=self.depth)  # want SHD804 "PARTITION_NAME"
        self.layers = stack()

    def __call__(self, x):
        return self.layers(x, None)[0]


shapes = jax.eval_shape(Decoder().init, jax.random.key(0), np.ones((2, 8), np.float32))
print(nn.get_partition_spec(shapes))
