"""A table that is looked up and used again as the output layer, and one that is looked up with take."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(params, ids, labels):
    half = jax.tree.map(lambda w: w.astype(jnp.bfloat16), params)
    h = half["table"][ids]
    h = h + jnp.take(params["kinds"].astype(jnp.bfloat16), ids % 8, axis=0)
    logits = jnp.tanh(h) @ half["table"].T
    logp = jax.nn.log_softmax(logits.astype(jnp.float32))
    return -jnp.mean(jnp.take_along_axis(logp, labels[..., None], axis=-1))


@jax.jit
def step(params, ids, labels):
    return jax.grad(loss)(params, ids, labels)


rng = np.random.default_rng(0)
params = {"table": rng.normal(size=(128, 64)) / 4, "kinds": rng.normal(size=(8, 64)) / 4}
params = jax.device_put(jax.tree.map(np.float32, params), full)
ids = jax.device_put(rng.integers(0, 128, (32, 16)).astype(np.int32), rows)
result = step(params, ids, ids)
