"""The path is passed by keyword, and out of a dict."""
import os
import tempfile

import jax
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("fsdp",)), P("fsdp"))
where = {"directory": os.path.join(tempfile.mkdtemp(), "ckpt")}
with ocp.StandardCheckpointer() as ckptr:
    ckptr.save(where["directory"], {"w": jax.device_put(np.ones((16, 4), np.float32), rows)})
    ckptr.wait_until_finished()
    print(ckptr.restore(directory=where["directory"]))  # want SHD807 "sharding"
    print(ckptr.restore(**where))  # want SHD807 "sharding"
