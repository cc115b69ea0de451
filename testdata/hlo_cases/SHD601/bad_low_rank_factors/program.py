"""LoRA on frozen bfloat16 weights, with an exponential moving average of the factors."""
import jax, jax.numpy as jnp, numpy as np, optax
from typing import NamedTuple
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


class State(NamedTuple):
    lora: dict
    ema: dict
    opt: optax.OptState
    step: jax.Array


tx = optax.adam(1e-3)


def linear(x, w, lora):
    low = (x @ lora["a"].astype(x.dtype)) @ lora["b"].astype(x.dtype)  # want SHD601 "'down'.*'a'.*'b'.*6.0 KiB"
    return x @ w + 2.0 * low


def net(base, lora, x):
    h = jax.nn.gelu(linear(x, base["up"], lora["up"]))
    return linear(h, base["down"], lora["down"])


def loss_fn(lora, base, x, y):
    out = net(base, lora, x.astype(jnp.bfloat16))
    return jnp.mean((out.astype(jnp.float32) - y) ** 2)


def train_step(state, base, x, y):
    loss, g = jax.value_and_grad(loss_fn)(state.lora, base, x, y)
    u, opt = tx.update(g, state.opt)
    lora = optax.apply_updates(state.lora, u)
    ema = optax.incremental_update(lora, state.ema, 1e-2)
    return State(lora, ema, opt, state.step + 1), loss


rep, bs = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
step = jax.jit(train_step, donate_argnums=(0,))
rng = np.random.default_rng(0)
lora = {n: {"a": jnp.asarray(rng.normal(size=(i, 8)), jnp.float32), "b": jnp.zeros((8, o), jnp.float32)} for n, i, o in (("up", 64, 256), ("down", 256, 64))}
base = {"up": jax.device_put(jnp.ones((64, 256), jnp.bfloat16), NamedSharding(mesh, P(None, "model"))), "down": jax.device_put(jnp.ones((256, 64), jnp.bfloat16), NamedSharding(mesh, P("model", None)))}
state = jax.device_put(State(lora, jax.tree.map(jnp.copy, lora), tx.init(lora), jnp.int32(0)), rep)
x, y = jax.device_put(np.ones((64, 64), np.float32), bs), jax.device_put(np.ones((64, 64), np.float32), bs)
state, loss = step(state, base, x, y)
print(loss)
