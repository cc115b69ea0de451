import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P


class Model:
    def __init__(self):
        self.mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
        self.apply = jax.jit(self._apply)

    def constrain(self, x):
        with jax.set_mesh(self.mesh):  # want SHD313 "set_mesh.*jit"
            return jax.lax.with_sharding_constraint(x, P("data"))

    def _apply(self, x):
        return self.constrain(x * 2).sum()


print(Model().apply(jnp.ones(8)))
