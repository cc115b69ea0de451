import jax
import numpy as np
from jax.sharding import AxisType

from layers import Mlp

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
model = Mlp(hidden=32)
x = np.ones((8, 16), np.float32)
params = model.init(jax.random.key(0), x)
with jax.set_mesh(mesh):
    y = jax.jit(model.apply)(params, x)
print(len(y.sharding.device_set), y.sharding.is_fully_replicated)
