"""Gradients accumulated over microbatches in a scan, reduced once behind it."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=4)
args, _ = parser.parse_known_args([])

DEVICES = np.array(jax.devices())
MESH = Mesh(DEVICES.reshape(len(DEVICES)), axis_names=("batch",))
(BATCH,) = MESH.axis_names


def apply(params, x):
    for layer in params:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x


def loss_fn(params, micro):
    return jnp.square(apply(params, micro["x"]) - micro["y"]).mean()


def train_step(params, batch, *, microbatches=2, lr=0.1):
    def split(a):
        return a.reshape(microbatches, -1, *a.shape[1:])

    def accumulate(total, micro):
        grads = jax.grad(loss_fn)(params, micro)
        return jax.tree.map(jnp.add, total, grads), None

    zeros = jax.tree.map(jnp.zeros_like, params)
    grads, _ = lax.scan(accumulate, zeros, jax.tree.map(split, batch))
    grads = jax.tree.map(lambda g: lax.pmean(g / microbatches, BATCH), grads)  # want SHD202 "batch"
    return jax.tree.map(lambda p, g: p - lr * g, params, grads)


step = jax.jit(jax.shard_map(train_step, mesh=MESH, in_specs=(P(), P(BATCH)), out_specs=P()))
params = [{"w": jnp.eye(4), "b": jnp.zeros((4,))} for _ in range(2)]
batch = {name: jnp.ones((32, 4)) for name in ("x", "y")}
for _ in range(args.steps):
    params = step(params, batch)
print(params[0]["w"][0, 0])
