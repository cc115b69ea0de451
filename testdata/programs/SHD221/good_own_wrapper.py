"""A wrapper of the same name that takes negative axes and normalizes them itself."""
import operator

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("tp",))


class lax:
    @staticmethod
    def psum_scatter(x, axis_name, scatter_dimension=0, tiled=True):
        dim = operator.index(scatter_dimension)
        dim = x.ndim + dim if dim < 0 else dim
        return jax.lax.psum_scatter(x, axis_name, scatter_dimension=dim, tiled=tiled)


f = jax.shard_map(lambda x, w: lax.psum_scatter(x @ w, "tp", -1), mesh=mesh,
                  in_specs=(P(None, "tp"), P("tp")), out_specs=P(None, "tp"))
print(f(jnp.ones((4, 16)), jnp.ones((16, 8))).shape)
