"""NNX: split, differentiate the state, average, update."""
import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


class Net(nnx.Module):
    def __init__(self, rngs):
        self.up = nnx.Linear(4, 8, rngs=rngs)
        self.down = nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, x):
        return self.down(nnx.relu(self.up(x)))


graphdef, state = nnx.split(Net(nnx.Rngs(0)))


def step(state, x):
    def loss(s):
        return nnx.merge(graphdef, s)(x).mean()

    grads = jax.grad(loss)(state)
    grads = jax.tree.map(lambda g: jax.lax.pmean(g, "data"), grads)  # want SHD202 "data"
    return jax.tree.map(lambda p, g: p - 0.1 * g, state, grads)


run = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data")), out_specs=P()))
print(jax.tree.leaves(run(state, jnp.ones((16, 4))))[0].shape)
