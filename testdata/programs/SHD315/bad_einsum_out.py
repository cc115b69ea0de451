"""out_sharding is passed along by a helper that knows nothing of the axes' types."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def project(x, w, out=None):
    return jnp.einsum("bi,io->bo", x, w, out_sharding=out)  # want SHD315 "data|model"


with jax.set_mesh(mesh):
    print(jax.jit(lambda x, w: project(x, w, P("data", "model")))(jnp.ones((8, 4)), jnp.ones((4, 8))).shape)
