import flax.linen as nn
import jax
import numpy as np

from layers import Dense
from rules import RULES

model = Dense(16, kernel_axes=("embed", "mlp"))
variables = jax.eval_shape(model.init, jax.random.key(0), np.ones((2, 8), np.float32))
print(nn.logical_to_mesh_sharding(nn.get_partition_spec(variables), jax.sharding.Mesh(np.array(jax.devices()), ("model",)), RULES)["params"])
