from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pjit import pjit  # want SHD902 "pjit"
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
SPECS = dict(
    in_axis_resources=(P("data"), None),
    out_axis_resources=P("data"),
)


@partial(pjit, in_axis_resources=(P("data"), P()), out_axis_resources=P("data"))  # want SHD901 "in_axis_resources" # want SHD901 "out_axis_resources"
def forward(x, w):
    return x @ w


class Runner:
    options = SPECS

    def build(self, fn):
        return pjit(fn, **self.options)  # want SHD901 "in_axis_resources" "out_axis_resources"


run = Runner().build(lambda x, w: x @ w)
with mesh:
    print(forward(jnp.ones((8, 8)), jnp.ones((8, 4))).shape)
