"""One flat buffer is reduced instead of a tree."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.flatten_util import ravel_pytree
from jax.sharding import AxisType, PartitionSpec

mesh = jax.make_mesh((8,), ("workers",), axis_types=(AxisType.Auto,))
W = mesh.axis_names[-1]


def regression(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def fused_mean(tree, axis_name=W):
    flat, unravel = ravel_pytree(tree)
    return unravel(lax.psum(flat, axis_name) / mesh.shape[axis_name])  # want SHD202 "workers"


def leafwise_mean(tree, axis_name=W):
    leaves, treedef = jax.tree.flatten(tree)
    reduced = [lax.pmean(leaf, axis_name) for leaf in leaves]  # want SHD202 "workers"
    return jax.tree.unflatten(treedef, reduced)


def make_step(reduce):
    def step(params, x, y):
        grads = jax.grad(regression)(params, x, y)
        grads = reduce(grads)
        return {k: params[k] - 0.1 * grads[k] for k in params}

    rows = PartitionSpec(W)
    return jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(PartitionSpec(), rows, rows), out_specs=PartitionSpec()))


params = dict(w=jnp.zeros((3,)), b=jnp.zeros(()))
x, y = jnp.ones((16, 3)), jnp.ones((16,))
for reduce in (fused_mean, leafwise_mean):
    params = make_step(reduce)(params, x, y)
print(params)
