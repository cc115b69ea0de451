import jax
import jax.numpy as jnp


def evaluate(w, x):
    scores = x @ w
    count = jax.lax.psum((scores > 0).sum(), "data")
    return scores, count, jax.lax.pmax(scores.max(), "data")
