import jax
import numpy as np
from jax.experimental import mesh_utils
from jax.sharding import AxisType, Mesh

grid = mesh_utils.create_device_mesh((4, 2))
a = Mesh(grid, ("x", "y"))
b = Mesh(grid.reshape(2, 4), ("x", "y"))
c = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
d = Mesh(np.array(jax.devices()), ("all",))
e = Mesh(a.devices.reshape(-1), ("all",))
f = Mesh(np.array(jax.devices()).reshape(-1, 1), ("x", "one"))
print(a.shape, b.shape, c.shape, d.shape, e.shape, f.shape)
