"""The leaves of a donated tree keep their shapes and types."""
import jax
import jax.numpy as jnp

step = jax.jit(lambda state, x: {"w": state["w"] + x}, donate_argnums=0)


def run(x):
    state = {"w": jnp.ones((4, 4))}
    new = step(state, x)
    print(jax.tree.leaves(state)[0].shape, jax.tree_util.tree_leaves(state)[0].dtype)
    return new


print(run(1.0)["w"].sum())
