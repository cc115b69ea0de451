import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import pmean
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ('x',))


def f(ce, m):
    return 1.0 - pmean((ce * m).sum() / m.sum(), 'x')  # want SHD217 "the denominator m\.sum\(\) is a sum over local data and differs"


ce, m = jnp.arange(16.0), jnp.array([1.0, 0.0] * 4 + [1.0, 1.0] * 4)
print(jax.shard_map(f, mesh=mesh, in_specs=P('x'), out_specs=P())(ce, m), 1 - (ce * m).sum() / m.sum())
