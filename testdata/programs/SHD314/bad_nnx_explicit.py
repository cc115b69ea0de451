"""A default mesh of make_mesh is Explicit since 0.9; the layer constrains as before."""
import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)


def constrain(x, *axes):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*axes)))  # want SHD314 "Explicit|reshard"


class Mlp(nnx.Module):
    def __init__(self, width, hidden, *, rngs):
        self.up = nnx.Linear(width, hidden, rngs=rngs)
        self.down = nnx.Linear(hidden, width, rngs=rngs)

    def __call__(self, x):
        h = constrain(nnx.relu(self.up(x)), "data", "model")
        return self.down(h)


model = Mlp(8, 16, rngs=nnx.Rngs(0))
forward = nnx.jit(lambda m, x: m(x))
print(forward(model, jnp.ones((4, 8))).shape)
