"""Targets with shardings: of ShapeDtypeStruct, of a placed state, and of numpy arrays that stay on the host."""
import os
import tempfile

import jax
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
specs = {"w": P("fsdp"), "b": P()}
shapes = {"w": (16, 4), "b": (4,)}
abstract = {k: jax.ShapeDtypeStruct(shapes[k], np.float32, sharding=NamedSharding(mesh, specs[k])) for k in specs}
state = jax.tree.map(lambda a: jax.device_put(np.ones(a.shape, a.dtype), a.sharding), abstract)


def with_sharding(shape_tree, sharding_tree):
    return jax.tree.map(lambda s, n: jax.ShapeDtypeStruct(s.shape, s.dtype, sharding=n), shape_tree, sharding_tree)


path = os.path.join(tempfile.mkdtemp(), "state")
with ocp.StandardCheckpointer() as checkpointer:
    checkpointer.save(path, state)
    checkpointer.wait_until_finished()
    a = checkpointer.restore(path, abstract)
    b = checkpointer.restore(path, state)
    c = checkpointer.restore(path, with_sharding(jax.eval_shape(lambda s: s, state), jax.tree.map(lambda x: x.sharding, state)))
print(a["w"].sharding.spec, b["w"].sharding.spec, c["w"].sharding.spec)
