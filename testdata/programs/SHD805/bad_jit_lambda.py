"""jit of a lambda around tx.init with sharded parameters."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def build_optimizer(name="lion"):
    table = {"lion": lambda: optax.lion(1e-4), "adam": lambda: optax.adam(1e-4)}
    return table[name]()


tx = build_optimizer()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("fsdp",)), P("fsdp"))
init = jax.jit(lambda k: {"w": jax.random.normal(k, (64, 32))}, out_shardings=rows)
params = init(jax.random.key(0))
opt_state = jax.jit(lambda p: tx.init(p))(params)  # want SHD805 "out_shardings"
print(len(jax.tree.leaves(opt_state)[1].sharding.device_set))
