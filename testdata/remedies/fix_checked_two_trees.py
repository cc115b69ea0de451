"""A checked shard_map in which two arguments are differentiated."""
import jax
import jax.numpy as jnp
import numpy as np
from functools import partial
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(trunk, head, x, y):
    h = jnp.tanh(x.astype(jnp.bfloat16) @ trunk["up"].astype(jnp.bfloat16))
    return jnp.mean(((h @ head.astype(jnp.bfloat16)).astype(jnp.float32) - y) ** 2)


@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P())
def step(trunk, head, x, y):
    return jax.grad(loss, argnums=(0, 1))(trunk, head, x, y)


rng = np.random.default_rng(0)
trunk = jax.device_put({"up": rng.normal(size=(64, 256)).astype(np.float32)}, full)
head = jax.device_put(rng.normal(size=(256, 32)).astype(np.float32) / 16, full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
result = step(trunk, head, x, y)
