"""Bare specs of axes that stay automatic; constraints outside; helpers that know."""
import functools
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)


def shard(x, spec, inside=False):
    if inside:
        return x
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, spec))


def layer(x, inside):
    return shard(x * 2, P("dp", "tp"), inside=inside)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=P("dp"), out_specs=P("dp"), axis_names={"dp"})
def partly(x):
    return jax.lax.with_sharding_constraint(layer(x, inside=True), P(None, "tp"))


@jax.jit
def whole(x):
    x = layer(x, False)
    x = partly(x)
    return shard(x, P("dp"))


def manual_aware(x):
    am = jax.sharding.get_abstract_mesh()
    if am.manual_axes:
        return x
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("dp")))


with jax.set_mesh(mesh):
    print(whole(jnp.ones((8, 4))))
    print(jax.jit(jax.shard_map(manual_aware, mesh=mesh, in_specs=P("dp"), out_specs=P("dp")))(jnp.ones(8)))
