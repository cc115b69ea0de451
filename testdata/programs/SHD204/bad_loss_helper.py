"""The loss is summed over devices inside a helper that the differentiated function calls."""
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P


@dataclass
class Config:
    axis: str = "batch"
    check: bool = False


CFG = Config()
mesh = jax.make_mesh((8,), (CFG.axis,), axis_types=(AxisType.Auto,))


def global_sum(x, axis=CFG.axis):
    return lax.psum(x, axis_name=axis)  # want SHD204 "batch"


def loss_fn(params, batch):
    x, y = batch
    err = x @ params["w"] + params["b"] - y
    return global_sum(jnp.sum(err**2)) / global_sum(err.size)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), (P("batch"), P("batch"))), out_specs=(P(), P()), check_vma=CFG.check)
def step(params, batch):
    loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    grads = jax.tree.map(partial(lax.psum, axis_name="batch"), grads)
    return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


params = {"w": jnp.ones((4,)), "b": jnp.zeros(())}
print(step(params, (jnp.ones((16, 4)), jnp.ones((16,))))[0])
