"""FSDP over a stack of layers in a scan with remat."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
put = lambda a, *s: jax.device_put(a, NamedSharding(mesh, P(*s)))


def block(h, layer):
    z = jnp.dot(h, layer["w1"].astype(h.dtype)) + layer["b1"].astype(h.dtype)
    return h + jnp.dot(jax.nn.silu(z), layer["w2"].astype(h.dtype)), None


def loss(params, batch):
    h = batch["x"].astype(jnp.bfloat16)
    h = jax.lax.with_sharding_constraint(h, NamedSharding(mesh, P("fsdp")))
    h, _ = jax.lax.scan(jax.checkpoint(block), h, params["layers"])
    return jnp.mean(jnp.square(h.astype(jnp.float32) - batch["y"]))


@partial(jax.jit, donate_argnums=0)
def step(params, batch):
    value, grads = jax.value_and_grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g.astype(p.dtype), params, grads), value


rng = np.random.default_rng(0)
w = lambda *s: rng.normal(size=s).astype(np.float32) / 16
params = {"layers": {"w1": put(w(4, 256, 512), None, "fsdp"), "b1": put(w(4, 512)), "w2": put(w(4, 512, 256), None, "fsdp")}}
batch = {"x": put(w(2048, 256), "fsdp"), "y": put(w(2048, 256), "fsdp")}
result = step(params, batch)
