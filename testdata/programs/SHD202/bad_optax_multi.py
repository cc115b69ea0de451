"""value_and_grad with aux, optax, and a reduction helper that takes the op by name."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
tx = optax.adamw(1e-3)


class State(NamedTuple):
    params: dict
    opt: tuple
    step: jax.Array


REDUCERS = {"mean": lax.pmean, "sum": lax.psum}


def all_reduce(tree, how="mean"):
    return jax.tree.map(functools.partial(REDUCERS[how], axis_name="data"), tree)  # want SHD202 "data"


def loss_fn(params, batch):
    pred = batch["x"] @ params["w"] + params["b"]
    return jnp.mean((pred - batch["y"]) ** 2), {"pred": pred.mean()}


@jax.jit
@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=(P(), P()))
def train_step(state, batch):
    (loss, aux), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params, batch)
    grads = all_reduce(grads)
    metrics = all_reduce({"loss": loss, **aux})
    updates, opt = tx.update(grads, state.opt, state.params)
    return State(optax.apply_updates(state.params, updates), opt, state.step + 1), metrics


params = {"w": jnp.ones((4, 1)), "b": jnp.zeros(1)}
state = State(params, tx.init(params), jnp.int32(0))
for _ in range(2):
    state, m = train_step(state, {"x": jnp.ones((16, 4)), "y": jnp.ones((16, 1))})
print(m)
