"""Tensor parallel layer, unchecked: the sum of the partial products is inside the loss."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "tensor"))
DATA, TENSOR = mesh.axis_names


def mlp(params, x):
    h = jax.nn.relu(x @ params["up"])
    return jax.lax.psum(h @ params["down"], TENSOR)  # want SHD204 "tensor"


def grads(params, x):
    def loss(p):
        return jnp.mean(mlp(p, x) ** 2)

    g = jax.grad(loss)(params)
    return jax.lax.pmean(g, DATA)


SPECS = {"up": PartitionSpec(None, TENSOR), "down": PartitionSpec(TENSOR)}
run = shard_map(grads, mesh, (SPECS, PartitionSpec(DATA)), SPECS, check_rep=False)
print(run({"up": jnp.ones((4, 8)), "down": jnp.ones((8, 4))}, jnp.ones((4, 4)))["up"].shape)
