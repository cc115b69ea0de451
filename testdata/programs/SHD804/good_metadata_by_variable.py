"""metadata_params comes from a constant of another name, or in keyword arguments."""
import flax.linen as nn
import jax
import numpy as np

META = {nn.meta.PARTITION_NAME if hasattr(nn, "meta") else nn.PARTITION_NAME: "layers"}
OPTIONS = dict(variable_axes={"params": 0}, split_rngs={"params": True}, length=3, metadata_params={nn.PARTITION_NAME: "layers"})


class Cell(nn.Module):
    @nn.compact
    def __call__(self, x, _):
        w = self.param("w", nn.with_partitioning(nn.initializers.ones_init(), (None, "model")), (4, 4))
        return x @ w, None


one = nn.scan(Cell, variable_axes={"params": 0}, split_rngs={"params": True}, length=3, metadata_params=META)
two = nn.scan(Cell, **OPTIONS)
for cell in (one, two):
    print(jax.eval_shape(cell().init, jax.random.key(0), np.ones((2, 4), np.float32), None)["params"]["w"].names)
