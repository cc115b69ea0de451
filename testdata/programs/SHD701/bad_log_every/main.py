import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from dist import LEADER

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
evaluate = jax.jit(lambda w, x: jnp.mean((x @ w) ** 2))
w = jax.device_put(np.ones((4, 4), np.float32), NamedSharding(mesh, P()))

for step in range(3):
    x = jax.make_array_from_process_local_data(rows, np.ones((8, 4), np.float32))
    if step % 2 == 0 and LEADER:
        print(step, evaluate(w, x))  # want SHD701 "evaluate"
