"""Optimizer statistics rebuilt under jit; one matrix has an odd number of rows."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("fsdp", "tensor"), axis_types=(AxisType.Auto, AxisType.Auto))
SHAPES = {"wi": (96, 64), "router": (64, 6), "head": (50, 64)}
SPECS = {"wi": P("fsdp", "tensor"), "router": P("fsdp", None), "head": P("fsdp", "tensor")}
layout = {k: NamedSharding(mesh, s) for k, s in SPECS.items()}


@jax.jit
def zero_moments():
    moments = {k: jnp.zeros(shape) for k, shape in SHAPES.items()}
    return {
        "mu": {k: jax.lax.with_sharding_constraint(m, layout[k]) for k, m in moments.items()},  # want SHD105 "50.*4"
        "count": jnp.zeros((), jnp.int32),
    }


state = zero_moments()
print({k: v.sharding.is_fully_replicated for k, v in state["mu"].items()})
