"""The reduction is chosen by name and the axis is matched from the strategy."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

STRATEGY = "ddp"
REDUCERS = {"mean": lax.pmean, "sum": lax.psum}

match STRATEGY:
    case "ddp":
        axes, shape = ("dp",), (8,)
    case "2d":
        axes, shape = ("dp", "tp"), (4, 2)
    case _:
        raise ValueError(STRATEGY)

mesh = Mesh(np.array(jax.devices()).reshape(*shape), axes)
rows = NamedSharding(mesh, P(axes[0]))


def per_example(w, xi, yi):
    return (jnp.dot(w, xi) - yi) ** 2


def total(w, x, y):
    return jax.vmap(per_example, in_axes=(None, 0, 0))(w, x, y).mean()


def update(w, x, y, how="mean"):
    if (axis := axes[0]) is not None:
        grad = jax.grad(total, argnums=0)(w, x, y)
        grad = REDUCERS[how](grad, axis)  # want SHD202 "dp"
    return w - 0.05 * grad


with jax.set_mesh(mesh):
    run = jax.jit(jax.shard_map(update, in_specs=(P(), *[P("dp")] * 2), out_specs=P()))
    w = run(jnp.zeros(3), jax.device_put(jnp.ones((8, 3)), rows), jax.device_put(jnp.ones(8), rows))
print(w)
