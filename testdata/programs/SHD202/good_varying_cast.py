"""Everything that makes a reduction behind the gradient right."""
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


@dataclass
class Options:
    check: bool = False
    axis: str = "data"


def loss(params, x):
    return jnp.mean((x @ params["w"]) ** 2)


def localize(tree, axis):
    return jax.tree.map(partial(lax.pcast, axis_name=axis, to="varying"), tree)


def cast_first(params, x):
    grads = jax.grad(loss)(localize(params, ("data", "model")), x)
    return lax.pmean(grads, ("data", "model"))


def unchecked(params, x, axis=Options().axis):
    grads = jax.grad(loss)(params, x)
    return lax.pmean(grads, (axis, "model"))


def loss_mean_inside(params, x):
    def global_loss(p):
        return lax.pmean(loss(p, x), mesh.axis_names)

    return jax.grad(global_loss)(params)


def adversary(params, x):
    direction = jax.grad(loss, argnums=1)(params, x)
    strength = lax.pmean(jnp.abs(direction).mean(), ("data", "model"))
    return strength


def divided(params, x):
    grads = jax.grad(loss)(params, x)
    return jax.tree.map(lambda g: g / lax.axis_size("data") / mesh.shape["model"], grads)


rows = P(("data", "model"))
options = Options()
params, x = {"w": jnp.ones((4, 2))}, jnp.ones((16, 4))
for body in (cast_first, loss_mean_inside, adversary, divided):
    print(jax.shard_map(body, mesh=mesh, in_specs=(P(), rows), out_specs=P())(params, x))
free = jax.shard_map(unchecked, mesh=mesh, in_specs=(P(), rows), out_specs=P(), check_vma=options.check)
print(free(params, x))
