"""Trains a small next-token model, data parallel over four device rows and tensor parallel over two columns."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

LAYERS, VOCAB, WIDTH, HIDDEN = 4, 512, 128, 384
BATCH, LENGTH = 16, 64
LEARNING_RATE = 1e-2

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))

SPECS = {
    "embed": P(),
    "blocks": {"scale": P(), "up": P(None, None, "model"), "down": P(None, "model", None)},
    "head": P(),
}


def init(seed=0):
    rng = np.random.default_rng(seed)

    def normal(*shape):
        return (rng.standard_normal(shape) * shape[-2] ** -0.5).astype(np.float32)

    return {
        "embed": normal(VOCAB, WIDTH),
        "blocks": {
            "scale": np.ones((LAYERS, WIDTH), np.float32),
            "up": normal(LAYERS, WIDTH, HIDDEN),
            "down": normal(LAYERS, HIDDEN, WIDTH),
        },
        "head": normal(WIDTH, VOCAB),
    }


def norm(x, scale):
    y = x.astype(jnp.float32)
    y = y * jax.lax.rsqrt(jnp.mean(y * y, axis=-1, keepdims=True) + 1e-6)
    return (y * scale).astype(x.dtype)


def block(x, p):
    up, down = p["up"].astype(jnp.bfloat16), p["down"].astype(jnp.bfloat16)
    h = norm(x, p["scale"])
    h = jax.nn.gelu(h @ up)
    return x + h @ down, None


def loss_fn(params, tokens, targets):
    x = params["embed"].astype(jnp.bfloat16)[tokens]
    x, _ = jax.lax.scan(block, x, params["blocks"])
    logits = x @ params["head"].astype(jnp.bfloat16)
    logp = jax.nn.log_softmax(logits.astype(jnp.float32))
    return -jnp.mean(jnp.take_along_axis(logp, targets[..., None], axis=-1))


@jax.jit
def train_step(params, tokens, targets):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens, targets)
    params = jax.tree.map(lambda p, g: p - LEARNING_RATE * g, params, grads)
    return params, loss


def main():
    shardings = jax.tree.map(lambda spec: NamedSharding(mesh, spec), SPECS)
    params = jax.device_put(init(), shardings)
    rng = np.random.default_rng(1)
    for step in range(2):
        tokens = rng.integers(0, VOCAB, (BATCH, LENGTH + 1))
        batch = NamedSharding(mesh, P("data"))
        inputs, targets = jax.device_put((tokens[:, :-1], tokens[:, 1:]), batch)
        params, loss = train_step(params, inputs, targets)
        print(f"step {step}: loss {loss:.3f}")


if __name__ == "__main__":
    main()
