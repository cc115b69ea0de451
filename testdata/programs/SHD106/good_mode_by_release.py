import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

U = P.UNCONSTRAINED


def auto_mesh(shape, names):
    kwargs = {}
    if hasattr(jax.sharding, "AxisType"):
        kwargs["axis_types"] = (jax.sharding.AxisType.Auto,) * len(names)
    return jax.make_mesh(shape, names, **kwargs)


mesh = auto_mesh((4, 2), ("data", "model"))


@jax.jit
def mix(h):
    h = jax.lax.with_sharding_constraint(h, NamedSharding(mesh, P(U, U, "model")))
    return h - h.mean(-1, keepdims=True)


print(mix(jnp.ones((4, 8, 16))).shape)
