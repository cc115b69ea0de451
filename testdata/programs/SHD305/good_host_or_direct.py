import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("x",))
rows = NamedSharding(mesh, P("x"))
big = (1024, 1024)
a = jax.device_put(np.zeros(big, np.float32), rows)
b = jnp.zeros(big, device=rows)
c = jax.jit(lambda k: jax.random.normal(k, big), out_shardings=rows)(jax.random.key(0))
d = jax.device_put(c * 2, NamedSharding(mesh, P(None, "x")))
e = jax.device_put(jnp.ones((16, 4)), rows)
f = jax.make_array_from_callback(big, rows, lambda i: np.ones(big, np.float32)[i])
shape = jax.eval_shape(lambda: jnp.ones(big))
print(a.shape, b.shape, d.shape, e.shape, f.shape, shape.shape)
