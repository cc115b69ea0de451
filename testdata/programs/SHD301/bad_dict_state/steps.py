import jax
import jax.numpy as jnp

__all__ = ["make_step"]


def make_step(loss_fn, lr):
    def step(state, batch):
        loss, grads = jax.value_and_grad(loss_fn)(state["params"], batch)
        params = jax.tree.map(lambda p, g: p - lr * g, state["params"], grads)
        return {**state, "params": params, "step": state["step"] + 1}, loss

    return jax.jit(step)  # want SHD301 "state is replaced.*donate_argnums=0"
