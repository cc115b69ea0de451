import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("batch",))


def make(p, z):
    return jnp.tanh(z @ p["g"])


def judge(p, x):
    h = jax.nn.relu(x.astype(jnp.bfloat16) @ p["a"].astype(jnp.bfloat16))  # want SHD601 "dp..a.. is summed in bfloat16"
    return (h.astype(jnp.float32) @ p["b"])[:, 0]


def judge_loss(dp, gp, x, z):
    return jnp.mean(jax.nn.softplus(-judge(dp, x))) + jnp.mean(jax.nn.softplus(judge(dp, make(gp, z))))


def make_loss(gp, dp, z):
    return jnp.mean(jax.nn.softplus(-judge(dp, make(gp, z))))


@jax.jit
def train_step(gp, dp, x, z):
    dp = jax.tree.map(lambda w, g: w - 1e-3 * g, dp, jax.grad(judge_loss)(dp, gp, x, z))
    gp = jax.tree.map(lambda w, g: w - 1e-3 * g, gp, jax.grad(make_loss)(gp, dp, z))
    return gp, dp


everywhere, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("batch"))
gp = jax.device_put({"g": np.ones((20, 28), np.float32)}, everywhere)
dp = jax.device_put({"a": np.ones((28, 52), np.float32), "b": np.ones((52, 2), np.float32)}, everywhere)
x = jax.device_put(np.ones((32, 28), np.float32), rows)
z = jax.device_put(np.ones((32, 20), np.float32), rows)
train_step.lower(gp, dp, x, z).compile()
