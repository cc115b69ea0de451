import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=())
def train_step(state, x):
    loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w) ** 2))(state["w"])
    g = jax.lax.pmean(g, "batch")
    new = {"w": state["w"] - 0.1 * g, "step": state["step"] + 1}
    return new, {"loss": jax.lax.pmean(loss, "batch")}
