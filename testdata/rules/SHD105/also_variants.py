import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import with_sharding_constraint as wsc
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def shard(tree, spec):
    return jax.tree.map(lambda a: wsc(a, spec), tree)  # want SHD105 "30.*4"


class Model:
    def __init__(self):
        self.init = jax.jit(self._init)

    def _init(self, key):
        params = {"emb": jax.random.normal(key, (30, 8)), "out": jnp.zeros((8, 16))}
        return shard(params, P("data"))


@jax.jit
def logits(x):
    h = wsc(x, P("data"))
    return h.sum()


with mesh:
    p = Model().init(jax.random.PRNGKey(0))
    logits(jnp.ones((30, 4)))
