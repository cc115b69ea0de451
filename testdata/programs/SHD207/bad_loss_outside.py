"""The loss of the tutorial is a mean per shard and the loop prints it."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("batch", "feats"), axis_types=(AxisType.Auto,) * 2)


def predict(params, x):
    (w1, b1), (w2, b2) = params
    h = jax.nn.relu(lax.psum(x @ w1, "feats") + b1)
    return h @ w2 + b2


def body(params, x, y):
    err = predict(params, x) - y
    return jnp.mean(err**2)


f = jax.shard_map(
    body,
    mesh=mesh,
    in_specs=([(P("feats"), P()), (P(), P())], P("batch", "feats"), P("batch")),
    out_specs=P(),  # want SHD207 "batch"
)
params = [(jnp.ones((4, 8)), jnp.zeros(8)), (jnp.ones((8, 1)), jnp.zeros(1))]
print(f(params, jnp.ones((8, 4)), jnp.ones((8, 1))))
