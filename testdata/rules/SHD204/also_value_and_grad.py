import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ('dp',))
AXIS = 'dp'


def step(w, x):
    def loss(w):
        return lax.psum(((x @ w) ** 2).sum(), AXIS)  # want SHD204 "psum over 'dp' inside the differentiated function makes the "
    value, g = jax.value_and_grad(loss)(w)
    return value, g


f = jax.shard_map(step, mesh=mesh, in_specs=(P(), P(AXIS)), out_specs=(P(), P()), check_vma=False)
w, x = jnp.ones(4), jnp.arange(64.0).reshape(16, 4)
print(f(w, x), jax.value_and_grad(lambda w: ((x @ w) ** 2).sum())(w))
