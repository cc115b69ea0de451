from jax import lax
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ('a', 'b'))


def f(x, w):
    n = lax.pmean(x.sum() + w, axis_name='a')
    return 2 * lax.pmax(n + 1, 'a') + lax.psum(  # want SHD205 "the value is already the same along 'a', so pmax over it cha" # want SHD205 "the value is already the same along 'a': the psum multiplies"
        jnp.sum(w * w) - 1,
        'a',
    ) / 2


print(jax.shard_map(f, mesh=mesh, in_specs=(P('a'), P()), out_specs=P())(jnp.ones(8), jnp.float32(3)))
