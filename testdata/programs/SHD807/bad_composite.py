"""Composite arguments: the parameters come back where the checkpoint says."""
import tempfile

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from orbax import checkpoint as ocp

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
params = {"w": jax.device_put(np.ones((16, 4), np.float32), NamedSharding(mesh, P("fsdp")))}
manager = ocp.CheckpointManager(tempfile.mkdtemp())
manager.save(0, args=ocp.args.Composite(params=ocp.args.StandardSave(params), meta=ocp.args.JsonSave({"step": 0})))
manager.wait_until_finished()
target = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), params)
restored = manager.restore(0, args=ocp.args.Composite(params=ocp.args.StandardRestore(target), meta=ocp.args.JsonRestore()))  # want SHD807 "sharding"
print(restored["params"]["w"].shape)
