from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("dp", "tp"))
tx = optax.adamw(1e-3)
DP = "dp"


class State(NamedTuple):
    params: dict
    opt: object


def loss_fn(params, batch, train=True):
    logits = batch["x"] @ params["w"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean(), {"logits": logits}


def sync(tree, axes):
    return jax.tree_util.tree_map(partial(lax.pmean, axis_name=axes), tree)


def step(state, batch):
    (loss, aux), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params, batch)
    grads = lax.pmean(grads, axis_name=DP)  # want SHD202 "dp"
    updates, opt = tx.update(grads, state.opt, state.params)
    params = optax.apply_updates(state.params, updates)
    return State(params, opt), lax.pmean(loss, DP)


class Trainer:
    def __init__(self):
        self.axis = "dp"
        self.step = jax.jit(jax.shard_map(self._step, mesh=mesh, in_specs=(P(), P("dp")), out_specs=(P(), P())))

    def _step(self, w, x):
        def loss(w):
            return ((x @ w) ** 2).mean()
        l, g = jax.value_and_grad(loss)(w)
        g = jax.lax.psum(g, (self.axis,)) / 4  # want SHD202 "dp"
        return w - 0.1 * g, jax.lax.pmean(l, self.axis)


run = jax.shard_map(step, mesh=mesh, in_specs=(P(), P(DP)), out_specs=(P(), P()))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("dp")), out_specs=P())
def vjp_step(w, x):
    out, pull = jax.vjp(lambda w: jnp.mean(x * w), w)
    (g,) = pull(jnp.ones_like(out))
    return lax.psum_scatter(g, "dp", tiled=True)  # want SHD202 "dp"


def good(w, x):
    g = jax.grad(lambda w: jnp.sum(x * w))(w)
    return lax.pmean(g, "tp")


good_map = jax.shard_map(good, mesh=mesh, in_specs=(P(), P("dp")), out_specs=P())
