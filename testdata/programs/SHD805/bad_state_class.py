"""The optimizer's moments are made while the parameters still lie on one device."""
import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


def init_mlp(key, sizes=(8, 64, 8)):
    keys = jax.random.split(key, len(sizes) - 1)
    layers = zip(keys, sizes[:-1], sizes[1:])
    return [{"kernel": jax.random.normal(k, (m, n)), "bias": jnp.zeros(n)} for k, m, n in layers]


def layout(leaf):
    return NamedSharding(mesh, P("fsdp") if leaf.ndim and leaf.shape[0] % 8 == 0 else P())


def make_optimizer(peak=1e-3):
    schedule = optax.warmup_cosine_decay_schedule(0.0, peak, 10, 100)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))


def setup(key):
    params = init_mlp(key)
    tx = make_optimizer()
    opt_state = tx.init(params)  # want SHD805 "params"
    params = jax.tree.map(lambda p: jax.device_put(p, layout(p)), params)
    return params, opt_state


params, opt_state = setup(jax.random.key(0))
mu = opt_state[1][0].mu[1]["kernel"]
print(len(mu.sharding.device_set), len(params[1]["kernel"].sharding.device_set))
