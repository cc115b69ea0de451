"""Evaluation: counts are summed, the best score is not."""
import collections
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

Metrics = collections.namedtuple("Metrics", ["correct", "best"])
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def score(params, x):
    logits = x @ params
    return logits, jnp.argmax(logits, -1)


@functools.partial(
    jax.shard_map,
    mesh=mesh,
    in_specs=(P(), P("data"), P("data")),
    out_specs=P(),  # want SHD207 "data"
)
def evaluate(params, x, labels):
    logits, predicted = score(params, x)
    correct = jax.lax.psum((predicted == labels).sum(), "data")
    return Metrics(correct, logits.max())


print(evaluate(jnp.ones((4, 3)), jnp.ones((8, 4)), jnp.zeros(8, jnp.int32)))
