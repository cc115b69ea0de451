"""Moments made under jit from placed parameters."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


class Optimizer:
    def __init__(self, decay=0.9):
        self.decay = decay

    @jax.jit
    def _zeros(params):  # noqa: N805
        return jax.tree.map(jnp.zeros_like, params)

    def init(self, params):
        return jax.jit(lambda p: jax.tree.map(jnp.zeros_like, p))(params)  # want SHD304 "out_shardings"


params = jax.device_put({"w": jnp.ones((64, 64))}, NamedSharding(mesh, P("data")))
print(Optimizer().init(params)["w"].sharding)
