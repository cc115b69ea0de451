import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

from eval import evaluate

mesh = Mesh(np.array(jax.devices()), ("data",))
run = jax.shard_map(
    evaluate,
    mesh=mesh,
    in_specs=(P(), P("data")),
    out_specs=(P("data"), P()),  # want SHD209 "out_specs"
)
print(run(jnp.ones((4,)), jnp.ones((8, 4))))
