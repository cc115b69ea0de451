from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def global_mean(x):
    return lax.pmean(jnp.mean(x), "data")  # want SHD204 "pmean.*data"


def loss(w, x):
    return global_mean((x * w) ** 2)


@partial(shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=(P(), P()), check_rep=False)
def step(w, x):
    value, g = jax.value_and_grad(loss)(w, x)
    return value, w - 0.1 * g


def with_aux(w, x):
    def f(w):
        l = jnp.mean(x * w)
        return l, {"loss": lax.pmean(l, "data")}
    g, metrics = jax.grad(f, has_aux=True)(w)
    return lax.pmean(g, "data"), metrics


pm = jax.pmap(with_aux, axis_name="data")
