"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))


@jax.jit
def f(state):
    lax.with_sharding_constraint(  # want SHD401 "the result of with_sharding_constraint is dropped, so state"
        state["w"],
        rows,
    )
    return state


class A:
    def __init__(self):
        self.x = jnp.ones((8, 4))
        jax.device_put(x=self.x, device=rows)  # want SHD401 "the result of device_put is dropped, so self\.x keeps its l"


print(f({"w": jnp.ones((8, 4))})["w"].sharding, A().x.sharding)
