"""Moments of placed parameters, of an optimizer without state, and of jit with a layout inside."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("fsdp"))


def host_params():
    return {"w": np.ones((64, 64), np.float32)}


def constrained_init(tx, params):
    state = tx.init(params)
    return jax.tree.map(lambda s: jax.lax.with_sharding_constraint(s, rows) if s.ndim else s, state)


params = jax.device_put(host_params(), rows)
adam = optax.adam(1e-3)
moments = adam.init(params)
inside = jax.jit(partial(constrained_init, adam))(params)
nothing = optax.sgd(1e-2).init(host_params())
eval_only = jax.eval_shape(adam.init, params)
print(moments[0].mu["w"].sharding.spec, inside[0].mu["w"].sharding.spec, jax.tree.leaves(nothing))
