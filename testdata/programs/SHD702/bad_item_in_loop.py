import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
batch_sharding = NamedSharding(mesh, P("data"))
print(f"process {jax.process_index()} of {jax.process_count()}")


@functools.partial(jax.jit, out_shardings={"loss": NamedSharding(mesh, P()), "per_example": batch_sharding})
def evaluate(x):
    e = jnp.square(x).sum(-1)
    return {"loss": e.mean(), "per_example": e}


x = jax.make_array_from_process_local_data(batch_sharding, np.ones((8, 4), np.float32))
out = evaluate(x)
print("loss", out["loss"].item())
worst = max(out["per_example"].tolist())  # want SHD702 "tolist"
print(worst)
