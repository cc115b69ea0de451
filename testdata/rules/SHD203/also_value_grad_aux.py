from functools import partial
import jax
from jax import numpy as jnp
from jax.sharding import Mesh, PartitionSpec as P
import numpy as np

mesh = Mesh(np.array(jax.devices()), ('dp',))


def loss(w, x):
    return jnp.mean((x @ w) ** 2), {'n': x.shape[0]}


@partial(
    jax.shard_map,
    mesh=mesh,
    in_specs=(P(), P('dp')),
    out_specs=P(),
    check_vma=False,
)
def step(w, x):
    (value, aux), g = jax.value_and_grad(loss, has_aux=True)(w, x)  # the gradient of a part
    return w - 0.1 * g  # want SHD203 "w is updated with the gradient of one device's part of the b"


print(step(jnp.ones(4), jnp.arange(64.0).reshape(16, 4) / 64))
