from functools import partial

import jax
import jax.numpy as jnp
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
ROW = P("data")


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), ROW), out_specs={"loss": ROW, "rows": ROW})  # want SHD210 "rank 0"
def evaluate(w, x):
    err = jnp.square(x @ w)
    return {"loss": jnp.linalg.norm(err), "rows": err.mean(axis=-1)}


class Count:
    def body(self, x):
        return jnp.vdot(x, x), x

    def map(self):
        return jax.shard_map(self.body, mesh=mesh, in_specs=ROW, out_specs=(ROW, ROW))  # want SHD210 "rank 0"


for call in (lambda: evaluate(jnp.ones((4, 2)), jnp.ones((8, 4))), lambda: Count().map()(jnp.ones(8))):
    print(call())
