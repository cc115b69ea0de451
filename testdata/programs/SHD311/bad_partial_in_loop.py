"""A new function is compiled for every temperature and step."""
import functools

import jax
import jax.numpy as jnp

traced = []


def sample(logits, key, temperature):
    traced.append(1)
    return jax.random.categorical(key, logits / temperature)


def generate(key, steps):
    tokens = []
    for key in jax.random.split(key, steps):
        step = jax.jit(functools.partial(sample, temperature=0.7))  # want SHD311 "jax\.jit"
        tokens.append(step(jnp.ones(8), key))
    return tokens


print(len(generate(jax.random.key(0), 3)), len(traced))
