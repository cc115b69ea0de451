"""The state is needed afterwards: for a rollback, for a second branch, or because the caller keeps it."""
import jax
import jax.numpy as jnp


@jax.jit
def step(state, x):
    return jax.tree.map(lambda s: s * 0.9 + x.mean(), state)


def guarded(state, xs):
    for x in xs:
        candidate = step(state, x)
        if not jnp.isfinite(candidate["w"]).all():
            candidate = state
        state = candidate
    return state


def lookahead(state, xs, every=2):
    slow = state
    for i, x in enumerate(xs):
        state = step(state, x)
        if i % every == 0:
            slow = state = jax.tree.map(lambda a, b: a + 0.5 * (b - a), slow, state)
    return slow


start = {"w": jnp.ones((64, 64))}
xs = [jnp.ones(4)] * 3
print(guarded(start, xs)["w"].sum(), lookahead(start, xs)["w"].sum(), start["w"].shape)
