import functools

import jax
import jax.numpy as jnp
import optax

optimizer = optax.sgd(0.1)


class Trainer:
    def init(self):
        return {"w": jnp.ones((4,)), "scale": jnp.ones(())}

    def loss(self, params, x):
        return jnp.mean((x @ params["w"] * params["scale"]) ** 2)

    @functools.partial(jax.pmap, axis_name="devices", static_broadcasted_argnums=0)
    def train_step(self, params, x):
        value, grads = jax.value_and_grad(self.loss)(params, x)
        updates, _ = optimizer.update(grads, optimizer.init(params))
        params = optax.apply_updates(params, updates)  # want SHD203 "devices"
        return params, jax.lax.pmean(value, "devices")
