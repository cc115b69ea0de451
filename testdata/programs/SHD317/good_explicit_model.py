"""A transformer block on Explicit axes that states every ambiguous output."""
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, reshard

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)
B, T, D, H, K = 8, 4, 16, 4, 4


def init(key):
    ks = jax.random.split(key, 4)
    shapes = {"q": ((D, H, K), P(None, "model")), "o": ((H, K, D), P("model")), "up": ((D, 4 * D), P(None, "model")), "down": ((4 * D, D), P("model"))}
    return {n: jax.device_put(jax.random.normal(k, s), spec) for k, (n, (s, spec)) in zip(ks, shapes.items())}


def attention(p, x):
    q = jnp.einsum("btd,dhk->bthk", x, p["q"])
    s = jnp.einsum("bthk,bshk->bhts", q, q)
    a = jax.nn.softmax(s, axis=-1)
    o = jnp.einsum("bhts,bshk->bthk", a, q)
    return jnp.einsum("bthk,hkd->btd", o, p["o"], out_sharding=P("data"))


def mlp(p, x):
    h = jax.nn.gelu(x @ p["up"])
    return jnp.matmul(h, p["down"], out_sharding=P("data", None, None))


@jax.jit
def block(p, x):
    x = x + attention(p, x)
    x = x + mlp(p, x)
    pooled = x.mean(1)
    flat = reshard(x, P("data", None, None)).reshape(B * T, D)
    return x, pooled, flat[:4], x[:, 0], jnp.concatenate([x, x], axis=-1)


x = jax.device_put(jnp.ones((B, T, D)), P("data"))
print([y.shape for y in block(init(jax.random.key(0)), x)])
