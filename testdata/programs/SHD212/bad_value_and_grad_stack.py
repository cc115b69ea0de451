import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("ens",))
AXIS = mesh.axis_names[0]


def member_gradients(theta, data):
    value, grads = jax.value_and_grad(lambda t: jnp.mean((data @ t["w"] + t["b"]) ** 2))(theta)  # want SHD212 "ens"
    return value[None], jax.tree.map(lambda g: jnp.expand_dims(g, 0), grads)


run = jax.shard_map(member_gradients, mesh=mesh, in_specs=(P(), P(AXIS)), out_specs=(P(AXIS), P(AXIS)))
values, grads = run({"w": jnp.ones(3), "b": jnp.zeros(())}, jnp.ones((16, 3)))
print(values.shape, grads["w"].shape)
