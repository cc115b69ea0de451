from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax import lax, P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def masked_mean(values, mask):
    return jnp.sum(values * mask) / jnp.maximum(mask.sum(), 1)


@partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data"), P("data")), out_specs=P())
def evaluate(logits, labels, mask):
    ce = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return lax.pmean(masked_mean(ce, mask), axis_name="data")  # want SHD217 "mask\.sum"


print(evaluate(jnp.ones((16, 4)), jnp.zeros((16,), jnp.int32), jnp.ones((16,))))
