import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from parallel import make_mesh, sharded
from sync import synced
from task import init, loss

mesh = make_mesh()


@sharded(mesh, (P(), P("dp"), P("dp")), P())
def step(params, x, y):
    grads = synced(jax.grad(loss))(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


x = jnp.arange(32.0).reshape(16, 2) / 32
print(step(init(), x, jnp.ones(16)))
