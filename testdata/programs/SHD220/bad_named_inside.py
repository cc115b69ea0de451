import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))
AXES = {"batch": "data", "embed": "model"}


class Norm:
    spec = P(AXES["batch"], AXES["embed"])

    def __call__(self, x):
        return jax.shard_map(self.local, mesh=mesh, in_specs=self.spec, out_specs=self.spec)(x)

    @staticmethod
    def local(x):
        return x / jnp.sqrt(jax.lax.pmean(jnp.mean(x * x, -1, keepdims=True), "model"))


stacked = jax.vmap(Norm(), spmd_axis_name=AXES["batch"])  # want SHD220 "data"
print(jax.jit(stacked)(jnp.ones((3, 8, 16))).shape)
