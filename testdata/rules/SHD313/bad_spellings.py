"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import shard_map
from jax.sharding import Mesh, PartitionSpec as P

devices = np.array(jax.devices())
big = Mesh(devices.reshape(4, 2), ("data", "model"))
small = Mesh(devices[:4], ("data",))
flat = Mesh(devices, ("all",))


def main():
    with jax.set_mesh(big):
        x = jax.device_put(np.ones(16), P("data"))
        print(x.sharding.spec)
        f = shard_map(
            lambda v: v * 2,
            mesh=flat,  # want SHD313 "shard_map gets flat with axes \'all\', but the context mesh"
            in_specs=P("all"),
            out_specs=P("all"),
        )
        y = f(np.ones(16))
        print(y.sum())
    with jax.set_mesh(big):
        g = shard_map(lambda v: v * 2, mesh=small, in_specs=P("data"), out_specs=P("data"))  # want SHD313 "shard_map gets small with axes \'data\', but the context me"
        print(g(np.ones(16)).sum())


@jax.jit
def step(x):
    y = x * 2
    with jax.sharding.set_mesh(flat):  # want SHD313 "set_mesh inside a function that jit traces raises ValueError"
        z = jax.lax.with_sharding_constraint(y, P("all"))
        w = z + 1
    return w


def use():
    out = step(np.ones(8))
    return out


main()
print(use().sum())
