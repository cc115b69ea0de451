"""The trainer keeps everything in one dictionary."""
import jax
import jax.numpy as jnp

STEP = jax.jit(lambda p, x: (p - 0.1 * x.mean(), jnp.abs(p).max()), donate_argnums=(0,))


def train(state, batches):
    for x in batches:
        new, peak = STEP(state["params"], x)
        drift = jnp.abs(new - state["params"]).max()  # want SHD303 "state\[.params.\]"
        state["params"] = new
        print(float(peak), float(drift))
    return state


train({"params": jnp.ones((8, 8)), "name": "toy"}, [jnp.ones((2, 8))])
