import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(params, x, y):
    h = jnp.tanh(x.astype(jnp.bfloat16) @ params["up"].astype(jnp.bfloat16))
    out = h @ params["down"].astype(jnp.bfloat16)
    return jnp.mean((out.astype(jnp.float32) - y) ** 2)


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P())
def step(params, x, y):
    local = jax.tree.map(lambda a: jax.lax.pcast(a, "data", to="varying"), params)
    grads = jax.tree.map(lambda g: jax.lax.pmean(g, "data"), jax.grad(loss)(local, x, y))
    return jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)


rng = np.random.default_rng(0)
params = jax.device_put({"up": rng.normal(size=(64, 256)).astype(np.float32), "down": rng.normal(size=(256, 32)).astype(np.float32)}, full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
result = step(params, x, y)
