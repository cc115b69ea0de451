import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("replica",), axis_types=(AxisType.Auto,))
half = jnp.bfloat16

def net(p, x):
    x = x.astype(half)
    x = jax.lax.conv_general_dilated(x, p["stem"].astype(half), (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))  # want SHD601 "'stem'.*'replica'.*864 bytes"
    x = jax.nn.relu(x + p["shift"].astype(half))  # want SHD601 "'shift'.*'replica'.*32 bytes"
    x = x.mean((1, 2))
    return x @ p["head"].astype(half)  # want SHD601 "'head'.*'replica'.*320 bytes"

def loss(p, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(net(p, x).astype(jnp.float32), y).mean()

tx = optax.adamw(1e-3)
@jax.jit
def step(p, s, x, y):
    g = jax.grad(loss)(p, x, y)
    u, s = tx.update(g, s, p)
    return optax.apply_updates(p, u), s

p = {"stem": np.ones((3, 3, 3, 16), np.float32), "shift": np.ones((16,), np.float32), "head": np.ones((16, 10), np.float32)}
p = jax.device_put(p, NamedSharding(mesh, P()))
x = jax.device_put(np.ones((32, 16, 16, 3), np.float32), NamedSharding(mesh, P("replica")))
y = jax.device_put(np.zeros((32,), np.int32), NamedSharding(mesh, P("replica")))
jax.block_until_ready(step(p, tx.init(p), x, y))
