import jax
import jax.numpy as jnp

step = jax.jit(lambda s, x: ({"w": s["w"] * x.mean()}, x.sum()), donate_argnums=0)


def fit(state, data, every=2):
    for i, x in enumerate(data):
        updated, loss = step(state, x)
        if i % every == 0:
            print("weights", float(state["w"].sum()), float(loss))  # want SHD303 "state"
        state = updated
    return state


fit({"w": jnp.ones((4, 4))}, [jnp.ones(3)] * 2)
