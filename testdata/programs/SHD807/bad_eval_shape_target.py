"""The abstract state of eval_shape carries no sharding."""
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
tx = optax.adam(1e-3)


def init(key):
    w = {"w": jax.random.normal(key, (16, 4))}
    return {"params": w, "opt": tx.init(w)}


replicated = NamedSharding(mesh, P())
state = jax.jit(init, out_shardings=replicated)(jax.random.key(0))
path = os.path.join(tempfile.mkdtemp(), "state")
ckptr = ocp.StandardCheckpointer()
ckptr.save(path, state)
ckptr.wait_until_finished()
abstract = jax.eval_shape(init, jax.random.key(0))
print(ckptr.restore(path, abstract)["params"]["w"].sharding)  # want SHD807 "sharding"
