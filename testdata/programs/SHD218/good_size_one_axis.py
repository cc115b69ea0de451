import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(8, 1), ("data", "model"))
layer = jax.shard_map(lambda w, x: jnp.tanh(x @ w), mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"), check_vma=False)
frozen = jax.shard_map(lambda w, x: x @ w, mesh=Mesh(np.array(jax.devices()).reshape(2, 4), ("a", "b")),
                       in_specs=(P(), P("a")), out_specs=P("a"), check_vma=False)


def loss(w, x):
    h = layer(w, x)
    return jnp.mean(h) + jax.lax.stop_gradient(frozen(jax.lax.stop_gradient(w), x)).sum()


print(jax.jit(jax.grad(loss))(jnp.ones((4, 4)), jnp.ones((8, 4))).shape)
