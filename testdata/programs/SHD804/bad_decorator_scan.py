"""scan used as a class transformation by functools.partial."""
import functools

import flax.linen as nn
import jax
import numpy as np


class Cell(nn.Module):
    @nn.compact
    def __call__(self, x, _):
        w = self.param("w", nn.with_partitioning(nn.initializers.orthogonal(), (None, "model")), (4, 4))
        return x @ w, None


over_layers = functools.partial(nn.scan, variable_axes={"params": 0}, split_rngs={"params": True}, length=3)
Stack = over_layers(Cell)  # want SHD804 "PARTITION_NAME"
print(jax.eval_shape(Stack().init, jax.random.key(0), np.ones((2, 4), np.float32), None))
