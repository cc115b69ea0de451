"""Both old keywords at once, in a method."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


class Pipeline:
    def __init__(self):
        self.mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("stage", "tp"))

    def wrap(self, fn):
        auto = frozenset(self.mesh.axis_names) - {"stage"}
        return jax.shard_map(
            fn,
            mesh=self.mesh,
            in_specs=P("stage"),
            out_specs=P("stage"),
            auto=auto,  # want SHD904 "auto.*axis_names"
        )


print(jax.jit(Pipeline().wrap(lambda x: x * 2))(jnp.ones(8)).sum())
