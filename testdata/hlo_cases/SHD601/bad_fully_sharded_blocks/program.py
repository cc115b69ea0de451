"""Llama-like blocks, scanned, weights sharded over fsdp and tensor, remat with a policy."""
import dataclasses
from functools import partial
import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("fsdp", "tensor"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
SPECS = {
    "wqkv": P(None, "fsdp", "tensor"), "wo": P(None, "tensor", "fsdp"), "up": P(None, "fsdp", "tensor"),
    "down": P(None, "tensor", "fsdp"), "ln1": P(None, None), "ln2": P(None, None),
}
BF16 = jnp.bfloat16


@dataclasses.dataclass(frozen=True)
class Config:
    dim: int = 128
    heads: int = 4
    layers: int = 3
    ff: int = 256
    vocab: int = 256


cfg = Config()


def act(x, *spec):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*spec)))


def norm(x, g):
    x32 = x.astype(jnp.float32)
    return (x32 * jax.lax.rsqrt(jnp.mean(x32**2, -1, keepdims=True) + 1e-6) * g).astype(x.dtype)


def block(x, w):
    b, s, d = x.shape
    h = norm(x, w["ln1"])
    qkv = act(h @ w["wqkv"].astype(BF16), "fsdp", None, "tensor").reshape(b, s, 3, cfg.heads, d // cfg.heads)  # want SHD601 "'wqkv'.*'fsdp' .4 devices"
    q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
    a = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(b, s, d)
    x = x + act(a @ w["wo"].astype(BF16), "fsdp", None, None)  # want SHD601 "'wo'.*'fsdp' .4 devices"
    h = norm(x, w["ln2"])
    h = act(jax.nn.gelu(h @ w["up"].astype(BF16)), "fsdp", None, "tensor")  # want SHD601 "'up'.*'fsdp' .4 devices"
    return x + act(h @ w["down"].astype(BF16), "fsdp", None, None), None  # want SHD601 "'down'.*'fsdp' .4 devices"


def loss_fn(params, tokens):
    x = act(params["embed"].astype(BF16)[tokens], "fsdp", None, None)  # want SHD601 "'embed'.*'fsdp' .4 devices"
    body = jax.checkpoint(block, policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable)
    x, _ = jax.lax.scan(body, x, params["blocks"])
    logits = act(norm(x, params["ln"]) @ params["head"].astype(BF16), "fsdp", None, "tensor").astype(jnp.float32)  # want SHD601 "'head'.*'fsdp' .4 devices"
    logp = jax.nn.log_softmax(logits[:, :-1])
    return -jnp.take_along_axis(logp, tokens[:, 1:, None], -1).mean()


tx = optax.adamw(3e-4, b2=0.95)


@partial(jax.jit, donate_argnames=("params", "opt"))
def train_step(params, opt, tokens):
    loss, g = jax.value_and_grad(loss_fn)(params, tokens)
    u, opt = tx.update(g, opt, params)
    return optax.apply_updates(params, u), opt, loss


def shapes():
    L, d, f = cfg.layers, cfg.dim, cfg.ff
    return {
        "embed": (cfg.vocab, d), "head": (d, cfg.vocab), "ln": (d,),
        "blocks": {"wqkv": (L, d, 3 * d), "wo": (L, d, d), "up": (L, d, f), "down": (L, f, d), "ln1": (L, d), "ln2": (L, d)},
    }


specs = {"embed": P("tensor", "fsdp"), "head": P("fsdp", "tensor"), "ln": P(), "blocks": SPECS}
shardings = jax.tree.map(lambda s: NamedSharding(mesh, s), specs, is_leaf=lambda s: isinstance(s, P))
params = jax.tree.map(lambda s, sh: jax.device_put(np.full(s, 0.02, np.float32), sh), shapes(), shardings, is_leaf=lambda s: isinstance(s, tuple))
opt = jax.jit(tx.init)(params)
tokens = jax.device_put(np.zeros((32, 64), np.int32), NamedSharding(mesh, P("fsdp")))
params, opt, loss = train_step(params, opt, tokens)
print(loss)
