"""What a donated dictionary holds keeps its shapes and shardings, and the dictionary its keys."""
import jax
import jax.numpy as jnp

step = jax.jit(lambda s: jax.tree.map(lambda a: a * 2, s), donate_argnums=0)
state = {"w": jnp.ones((1024, 64))}
new = step(state)
print(state["w"].shape, state["w"].sharding, state["w"].is_deleted(), "w" in state)
print(jnp.zeros_like(state["w"]).shape, jnp.full_like(state["w"], 2).sum(), jnp.size(state["w"]))
state["w"] = new["w"]
print(state["w"].sum())
