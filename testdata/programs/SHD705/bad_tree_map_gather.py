import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.multihost_utils import process_allgather as gather
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
predict = jax.jit(lambda x: {"logits": x * 2, "ids": x.argmax(-1)}, out_shardings=rows)
out = predict(jax.make_array_from_process_local_data(rows, np.ones((8, 4), np.float32)))
host = jax.tree.map(gather, out)  # want SHD705 "tiled"
if jax.process_index() == 0:
    print(host["logits"].shape)
