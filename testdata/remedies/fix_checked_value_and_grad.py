"""A checked shard_map, where the loss comes with the gradient and with more."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


class Model:
    def loss(self, x, params, y):
        h = jnp.tanh(x.astype(jnp.bfloat16) @ params["up"].astype(jnp.bfloat16) + params["bias"].astype(jnp.bfloat16))
        out = h @ params["down"].astype(jnp.bfloat16)
        error = out.astype(jnp.float32) - y
        return jnp.mean(error**2), jnp.mean(jnp.abs(error))

    def step(self, params, x, y):
        differentiate = jax.value_and_grad(self.loss, argnums=1, has_aux=True)
        (value, absolute), grads = differentiate(x, params, y)
        return jax.lax.pmean(value, "data"), jax.lax.pmean(absolute, "data"), grads


step = jax.jit(jax.shard_map(Model().step, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P()))
rng = np.random.default_rng(0)
params = {"up": rng.normal(size=(64, 256)), "bias": rng.normal(size=(256,)), "down": rng.normal(size=(256, 32)) / 16}
params = jax.device_put(jax.tree.map(np.float32, params), full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
result = step(params, x, y)
