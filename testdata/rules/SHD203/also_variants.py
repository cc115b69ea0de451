from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
tx = optax.sgd(0.1)


def loss(params, x):
    return jnp.mean((x @ params["w"]) ** 2)


def train(params, opt, x):
    g = jax.grad(loss)(params, x)
    updates, opt = tx.update(g, opt, params)
    return optax.apply_updates(params, updates), opt  # want SHD203 "data"


step = shard_map(train, mesh=mesh, in_specs=(P(), P(), P("data")), out_specs=(P(), P()), check_rep=False)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def sgd(params, x):
    g = jax.grad(loss)(params, x)
    return jax.tree.map(lambda p, d: p - 0.1 * d, params, g)  # want SHD203 "data"


@partial(jax.pmap, axis_name="ensemble")
def ensemble(w, x):
    return w - 0.1 * jax.grad(lambda w: jnp.mean(x * w))(w)


@partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P("data"), check_vma=False)
def experts(w, x):
    return w - 0.1 * jax.grad(lambda w: jnp.mean(x * w))(w)


def checked(params, opt, x):
    g = jax.lax.pmean(jax.grad(loss)(params, x), "data")
    updates, opt = tx.update(g, opt, params)
    return optax.apply_updates(params, updates), opt


fine = shard_map(checked, mesh=mesh, in_specs=(P(), P(), P("data")), out_specs=(P(), P()), check_rep=False)
