"""The same in other spellings."""
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from orbax import checkpoint

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
path = os.path.join(tempfile.mkdtemp(), "c")
saver = checkpoint.StandardCheckpointer()


def main():
    state = {"w": jax.device_put(jnp.ones((16, 4)), NamedSharding(mesh, P("fsdp")))}
    saver.save(path, state)
    saver.wait_until_finished()
    state = saver.restore(path)  # want SHD807 "restore without a target uses the shardings stored in the ch"
    print(state["w"].sharding.spec)
    target = {"w": jax.ShapeDtypeStruct((16, 4), jnp.float32)}
    print(saver.restore(path, target=target)["w"].sharding)  # want SHD807 "the target of restore has shapes without a sharding, so eve"


main()
