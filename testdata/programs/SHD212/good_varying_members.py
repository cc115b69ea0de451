"""Every device holds its own member, so that its gradient is its own."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("ens",))


def member_gradients(theta, data):
    theta = jax.tree.map(lambda t: t[0], theta)
    grads = jax.grad(lambda t: jnp.mean((data @ t["w"] + t["b"]) ** 2))(theta)
    return jax.tree.map(lambda g: g[None], grads)


run = jax.shard_map(member_gradients, mesh=mesh, in_specs=(P("ens"), P("ens")), out_specs=P("ens"))
print(run({"w": jnp.ones((8, 3)), "b": jnp.zeros(8)}, jnp.ones((16, 3)))["w"].shape)
