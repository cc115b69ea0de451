"""Evaluation was compiled for split parameters, training keeps them replicated."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def sharding(*axes):
    return NamedSharding(mesh, P(*axes))


TRAIN = {"params": sharding(), "batch": sharding("data")}
EVAL = {"params": sharding(None, "model"), "batch": sharding("data")}


def predict(params, batch):
    return jnp.tanh(batch @ params)


evaluate = jax.jit(predict, in_shardings=(EVAL["params"], EVAL["batch"]))
params = jax.device_put(np.ones((16, 8), np.float32), TRAIN["params"])
batch = jax.device_put(np.ones((8, 16), np.float32), TRAIN["batch"])
print(evaluate(params, batch).shape)  # want SHD307 "params"
