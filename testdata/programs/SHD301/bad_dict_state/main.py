import jax
import jax.numpy as jnp
import numpy as np

from steps import make_step


def loss_fn(params, batch):
    return jnp.mean((batch @ params["kernel"] + params["bias"]) ** 2)


def data(n):
    rng = np.random.default_rng(1)
    for _ in range(n):
        yield rng.normal(size=(16, 128)).astype(np.float32)


state = dict(params={"kernel": jnp.ones((128, 128)), "bias": jnp.zeros(128)}, step=jnp.int32(0))
step = make_step(loss_fn, lr=0.1)
for i, batch in enumerate(data(3)):
    state, loss = step(state, batch)
    print(i, loss)
