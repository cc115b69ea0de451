"""Loss and metrics in a nested structure; one metric stays local."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


class Metrics(NamedTuple):
    loss: jax.Array
    accuracy: jax.Array


@partial(
    jax.shard_map,
    mesh=mesh,
    in_specs=(P(), (P("data"), P("data"))),
    out_specs=Metrics(loss=P(), accuracy=P()),  # want SHD207 "data"
)
def evaluate(w, batch):
    x, y = batch
    logits = x @ w
    loss = jnp.mean(jax.nn.logsumexp(logits, axis=-1))
    hits = jnp.argmax(logits, -1) == y
    return Metrics(jax.lax.pmean(loss, "data"), hits.mean())


print(evaluate(jnp.ones((4, 3)), (jnp.ones((16, 4)), jnp.zeros((16,), jnp.int32))))
