import jax
import numpy as np

from specs import mesh, stacked

w = jax.device_put(np.ones((4, 8, 8), np.float32), jax.sharding.NamedSharding(mesh, stacked("model")))
print(w.sharding)
