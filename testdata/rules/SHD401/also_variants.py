import jax
import jax.numpy as jnp
from jax import device_put as put, lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("data"))


class Trainer:
    def __init__(self):
        self.params = {"w": jnp.ones((8, 8))}

    def place(self):
        put(self.params, rows)  # want SHD401 "self.params"
        put(self.params["w"], device=rows)  # want SHD401 "device_put"
        return self


@jax.jit
def f(x):
    lax.with_sharding_constraint(x * 2, rows)  # want SHD401 "with_sharding_constraint"
    x = lax.with_sharding_constraint(x, rows)
    out = []
    out.append(lax.with_sharding_constraint(x, rows))
    _ = lax.with_sharding_constraint(x, rows)
    return out


Trainer().place()
print(put(jnp.ones(8), rows))
[put(jnp.ones(8), rows) for _ in range(2)]
