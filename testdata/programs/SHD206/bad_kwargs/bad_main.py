import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from compat import shmap
from meshes import MESH


@shmap(mesh=MESH, in_specs=P("data"), out_specs=P())
def total(x):
    return jax.lax.psum(x.sum(), "data")


print(total(jnp.ones((16,))))
