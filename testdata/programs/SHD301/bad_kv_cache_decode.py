"""Autoregressive decoding: the cache goes in and comes out of each step."""
import dataclasses

import jax
import jax.numpy as jnp
from jax import lax


@dataclasses.dataclass(frozen=True)
class Config:
    layers: int = 2
    batch: int = 2
    length: int = 128
    heads: int = 4
    dim: int = 32


def init_cache(cfg):
    shape = (cfg.layers, cfg.batch, cfg.length, cfg.heads, cfg.dim)
    return {"k": jnp.zeros(shape, jnp.bfloat16), "v": jnp.zeros(shape, jnp.bfloat16)}


def write(cache, new, pos):
    return jax.tree.map(lambda c, n: lax.dynamic_update_slice(c, n[None, :, None].astype(c.dtype), (0, 0, pos, 0, 0)), cache, new)


@jax.jit  # want SHD301 "cache is replaced.*donate_argnums=1"
def decode_step(token, cache, pos):
    new = {name: jnp.ones((2, 4, 32)) * token[:, None, None] for name in ("k", "v")}
    cache = write(cache, new, pos)
    logits = cache["k"].astype(jnp.float32).sum((0, 2, 3))
    return jnp.argmax(logits, -1), cache, pos + 1


def generate(cfg: Config, steps: int = 4):
    cache = init_cache(cfg)
    token, pos = jnp.zeros((cfg.batch,), jnp.int32), jnp.int32(0)
    out = []
    for _ in range(steps):
        token, cache, pos = decode_step(token, cache, pos)
        out.append(token)
    return jnp.stack(out, 1)


print(generate(Config()).shape)
