"""tree.map of device_put over what an init function of another class made."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Tables:
    rows: int = 2**15

    def build(self, width=64):
        angles = jnp.outer(jnp.arange(self.rows), jnp.ones(width))
        return {"sin": jnp.sin(angles), "cos": jnp.cos(angles)}


mesh = Mesh(np.array(jax.devices()), ("seq",))
sharding = NamedSharding(mesh, P("seq"))
tables = Tables().build()
tables = jax.tree.map(lambda t: jax.device_put(t, sharding), tables)  # want SHD305 "out_shardings"
print(tables["sin"].sharding.spec)
