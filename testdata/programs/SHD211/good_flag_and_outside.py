import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((8,)), ("data",))
ROWS = NamedSharding(mesh, P("data"))


class Block:
    def __init__(self, constrain=True):
        self.constrain = constrain

    def __call__(self, x):
        y = jnp.tanh(x)
        if self.constrain:
            y = jax.lax.with_sharding_constraint(y, ROWS)
        return y


inner = jax.shard_map(Block(constrain=False), mesh=mesh, in_specs=P("data"), out_specs=P("data"))


@jax.jit
def model(x):
    x = jax.lax.with_sharding_constraint(x, ROWS)
    return Block()(inner(x))


print(model(jnp.ones((16, 4))).sharding.spec)
