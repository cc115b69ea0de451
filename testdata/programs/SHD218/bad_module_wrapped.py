"""A linen module wraps the unchecked map; optax trains it."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2, 2), ("dp", "tp", "pp"))


def matmul(x, w):
    return jax.lax.psum(x @ w, "tp")


class Dense(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        w = self.param("w", nn.initializers.ones, (x.shape[-1], self.width))
        f = shard_map(matmul, mesh=mesh, in_specs=(P("dp", "tp"), P("tp")), out_specs=P("dp"), check_rep=False)  # want SHD218 "pp"
        return f(x, w)


model = Dense(4)
params = model.init(jax.random.key(0), jnp.ones((4, 4)))
tx = optax.sgd(0.1)


@jax.jit
def step(params, opt, x):
    g = jax.grad(lambda p: model.apply(p, x).sum())(params)
    u, opt = tx.update(g, opt)
    return optax.apply_updates(params, u), opt


print(step(params, tx.init(params), jnp.ones((4, 4))))
