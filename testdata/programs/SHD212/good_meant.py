from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh)


def loss(w, x):
    return jnp.mean((x @ w) ** 2)


local = smap(lambda w, x: jax.grad(loss)(lax.pcast(w, "d", to="varying"), x)[None], in_specs=(P(), P("d")), out_specs=P("d"))
forward = smap(lambda w, x: jax.jacfwd(loss)(w, x)[None], in_specs=(P(), P("d")), out_specs=P("d"))
inputs = smap(lambda w, x: jax.grad(loss, argnums=1)(w, x), in_specs=(P(), P("d")), out_specs=P("d"))
total = smap(lambda w, x: jax.grad(loss)(w, x), in_specs=(P(), P("d")), out_specs=P())
w, x = jnp.ones(4), jnp.ones((16, 4))
print(local(w, x).shape, forward(w, x).shape, inputs(w, x).shape, total(w, x).shape)
