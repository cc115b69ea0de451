"""Clipped and cast before it is reduced; the wrapper chooses the releases."""
import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

if hasattr(jax, "shard_map"):
    from jax import shard_map
else:
    from jax.experimental.shard_map import shard_map

NAMES = tuple(f"d{i}" for i in range(2))
mesh = jax.make_mesh((2, 4), NAMES, axis_types=tuple(AxisType.Auto for _ in NAMES))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))


def cast(tree, dtype):
    return jax.tree.map(lambda t: t.astype(dtype), tree)


def loss_fn(params, tokens, labels):
    table, head = params
    logits = table[tokens] @ head
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def step(params, opt, tokens, labels):
    value, grads = jax.value_and_grad(loss_fn)(cast(params, jnp.bfloat16), tokens, labels)
    grads = cast(grads, jnp.float32)
    grads = lax.pmean(grads, NAMES)  # want SHD202 "d0"
    updates, opt = tx.update(grads, opt, params)
    return optax.apply_updates(params, updates), opt, lax.pmean(value, NAMES)


data = P(NAMES)
mapped = shard_map(step, mesh=mesh, in_specs=(P(), P(), data, data), out_specs=(P(), P(), P()))
params = (jnp.ones((32, 8)), jnp.ones((8, 32)))
tokens = jnp.zeros((16,), jnp.int32)
print(jax.jit(mapped)(params, tx.init(params), tokens, tokens)[2])
