"""The same in other spellings."""
import jax
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))


def setup(params):
    rows = NamedSharding(mesh, P("fsdp"))
    tx = optax.chain(optax.clip(1.0), optax.adam(1e-3))
    params = jax.device_put(params, rows)
    init = jax.jit(tx.init)  # want SHD805 "the optimizer\'s state depends on no argument of this jit, "
    opt = init(params)
    return opt


o = setup({"w": np.ones((64, 64), np.float32)})
print([x.sharding.spec for x in jax.tree.leaves(o) if x.ndim])
