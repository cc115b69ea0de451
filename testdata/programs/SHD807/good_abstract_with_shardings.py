"""The abstract target gets its shardings from the state, from a tree of shardings, or to_shape_dtype_struct."""
import os
import tempfile

import jax
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
rows = NamedSharding(mesh, P("fsdp"))
state = {"w": jax.device_put(np.ones((16, 4), np.float32), rows)}
shardings = {"w": rows}
path = os.path.join(tempfile.mkdtemp(), "s")
ckptr = ocp.StandardCheckpointer()
ckptr.save(path, state)
ckptr.wait_until_finished()
shapes = jax.eval_shape(lambda: state)
a = jax.tree.map(lambda s, sh: jax.ShapeDtypeStruct(s.shape, s.dtype, sharding=sh), shapes, shardings)
b = jax.tree.map(ocp.utils.to_shape_dtype_struct, state)
c = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding), state)
for target in (a, b, c):
    print(ckptr.restore(path, target)["w"].sharding.spec)
