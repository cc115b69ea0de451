"""device_put of a batch with a dimension left open."""
import jax
import jax.numpy as np
from jax import sharding as js
from jax.experimental import mesh_utils

mesh = js.Mesh(mesh_utils.create_device_mesh((2, 4)), ("data", "model"))


def spec(*names, rest=js.PartitionSpec.UNCONSTRAINED):
    return js.PartitionSpec(*names, rest)


class Layout:
    free: js.PartitionSpec = spec("data")

    @staticmethod
    def put(x, s):
        return jax.device_put(x, js.NamedSharding(mesh, s))  # want SHD106 "device_put"


print(Layout.put(np.ones((4, 4)), Layout.free))
tree = {"a": np.ones((8, 4)), "b": np.ones((8, 4))}
where = {k: js.NamedSharding(mesh, js.PartitionSpec("model", js.PartitionSpec.UNCONSTRAINED)) for k in tree}
print(jax.device_put(tree, where))  # want SHD106 "device_put"
