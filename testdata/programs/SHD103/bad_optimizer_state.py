"""Every leaf of the optimizer state gets the spec of a matrix."""
import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


def init_params(key, width=16):
    k1, k2 = jax.random.split(key)
    return {
        "dense": {"kernel": jax.random.normal(k1, (width, width)), "bias": jnp.zeros((width,))},
        "scale": jnp.asarray(1.0),
    }


def place(tree, spec):
    sharding = NamedSharding(mesh, spec)
    return jax.device_put(tree, sharding)  # want SHD103 "rank"


params = init_params(jax.random.key(0))
params = place(params, P("fsdp"))
print(params["dense"]["kernel"].sharding)
