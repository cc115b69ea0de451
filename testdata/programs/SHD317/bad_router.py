"""A mixture of experts on explicit axes: scores are sorted, summed and sliced along dimensions that are split."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
TOKENS, EXPERTS = 8, 16


def placed(shape, *names):
    return jax.device_put(jnp.ones(shape), NamedSharding(mesh, P(*names)))


@jax.jit
def route(scores):
    return lax.top_k(scores, 2)  # want SHD317 "top_k.*model"


@jax.jit
def offsets(counts):
    return jnp.cumsum(counts, axis=0)  # want SHD317 "cumsum.*data"


@jax.jit
def order(scores):
    first = scores[:3]  # want SHD317 "data"
    return jnp.argsort(first, axis=-1)


@jax.jit
def blend(gate, other):
    mixed = jnp.where(gate > 0, gate, other)  # want SHD317 "data.*model"
    weighted = jnp.einsum("te,te->te", gate, other)  # want SHD317 "data.*model"
    return mixed + weighted


@jax.jit
def running(tokens):
    return lax.scan(lambda total, t: (total + t.sum(), total), 0.0, tokens)  # want SHD317 "scan.*data"


print(
    route(placed((TOKENS, EXPERTS), "data", "model")),
    offsets(placed((TOKENS, EXPERTS), "data", None)),
    order(placed((TOKENS, EXPERTS), "data", None)),
    blend(placed((TOKENS, EXPERTS), "data", None), placed((TOKENS, EXPERTS), "model", None)),
    running(placed((TOKENS, EXPERTS), "data", None)),
)
