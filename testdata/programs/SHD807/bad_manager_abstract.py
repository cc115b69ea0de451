"""The target comes from eval_shape, which knows shapes and dtypes but no shardings."""
import pathlib
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("fsdp"))


def init(key):
    return {"w": jax.random.normal(key, (16, 4)), "step": jnp.zeros((), jnp.int32)}


class Checkpoints:
    def __init__(self, root):
        self.path = pathlib.Path(root) / "state"
        self.checkpointer = ocp.StandardCheckpointer()

    def save(self, state):
        self.checkpointer.save(self.path, state)
        self.checkpointer.wait_until_finished()

    def restore(self):
        abstract = jax.eval_shape(init, jax.random.key(0))
        return self.checkpointer.restore(self.path, abstract)  # want SHD807 "sharding"


checkpoints = Checkpoints(tempfile.mkdtemp())
state = jax.jit(init, out_shardings={"w": rows, "step": NamedSharding(mesh, P())})(jax.random.key(0))
checkpoints.save(state)
print(jax.tree.map(lambda x: len(x.sharding.device_set), checkpoints.restore()))
