"""An Equinox model under shard_map: the gradient's leaves are averaged in a comprehension."""
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import optax
from jax.sharding import AxisType, PartitionSpec as P

AXIS = "batch"
mesh = jax.make_mesh((8,), (AXIS,), axis_types=(AxisType.Auto,))


class Model(eqx.Module):
    up: jax.Array
    down: jax.Array

    def __init__(self, key, width=4, hidden=8):
        k1, k2 = jax.random.split(key)
        self.up = jax.random.normal(k1, (width, hidden)) / 2
        self.down = jax.random.normal(k2, (hidden, 1)) / 2

    def __call__(self, x):
        return jnp.tanh(x @ self.up) @ self.down


def mse(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


def average(tree, axis):
    leaves, treedef = jtu.tree_flatten(tree)
    return jtu.tree_unflatten(treedef, [jax.lax.pmean(leaf, axis) for leaf in leaves])  # want SHD202 "batch"


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(AXIS), P(AXIS)), out_specs=(P(), P()))
def gradients(model, x, y):
    value, grads = eqx.filter_value_and_grad(mse)(model, x, y)
    return jax.lax.pmean(value, AXIS), average(grads, AXIS)


model = Model(jax.random.key(0))
x = jnp.arange(64.0).reshape(16, 4) / 64
y = jnp.ones((16, 1))
value, grads = jax.jit(gradients)(model, x, y)
reference = jax.grad(mse)(model, x, y)
print("ratio", float((grads.up / reference.up).mean()))
