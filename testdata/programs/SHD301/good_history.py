"""The old values stay in a container, which donation would leave with deleted arrays."""
import collections

import jax
import jax.numpy as jnp

step = jax.jit(lambda w, x: w - 0.1 * x.T @ (x @ w))
w, v, u = jnp.ones((32, 32)), jnp.ones((32, 32)), jnp.ones((32, 32))
history, recent, best = [], collections.deque(maxlen=2), {}
for i in range(3):
    x = jnp.ones((4, 32))
    history.append(w)
    w = step(w, x)
    recent.appendleft((i, v))
    best = {"params": v, "at": i}
    v = step(v, x)
    best[i] = u
    u = step(u, x)
print(history[0].sum(), recent[0][1].sum(), best["params"].sum())
