"""Every spelling of a product with a narrow copy of a weight."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


class Head:
    def __init__(self, params):
        self.kernel, self.bias = params["head"], params["head_bias"]

    def __call__(self, h):
        return h @ self.kernel.astype(jnp.bfloat16) + self.bias.astype(jnp.bfloat16)


def half(tree):
    """A copy in 16 bits."""
    return jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), tree)


def dense(h, w, b):
    w, b = lax.convert_element_type(w, jnp.bfloat16), jnp.asarray(b, dtype=jnp.bfloat16)
    return jnp.tanh(h @ w + b)


def loss(params, x, y):
    h = jnp.dot(x.astype(jnp.bfloat16), params["dot"].astype(jnp.bfloat16))
    h = jnp.tanh(h + params["b0"].astype(jnp.bfloat16))
    h = jnp.tanh(jnp.matmul(h, params["matmul"].astype(jnp.bfloat16)))
    h = jnp.tanh(jnp.einsum("bsd,df->bsf", h, params["einsum"].astype(jnp.bfloat16)))
    h = jnp.tanh(jnp.einsum("...d,dhk->...hk", h, params["ellipsis"].astype(jnp.bfloat16)).reshape(h.shape))
    h = jnp.tanh(lax.dot_general(h, params["general"].astype(jnp.bfloat16), (((2,), (0,)), ((), ()))))
    w = params["earlier"].astype(jnp.bfloat16)
    h = jnp.tanh(h @ w)
    w = params["rebound"]
    w = w.astype(jnp.bfloat16)
    h = jnp.tanh(h @ w)
    narrow = jax.tree.map(lambda a: a.astype(jnp.bfloat16), params)
    h = jnp.tanh(h @ narrow["tree"])
    h = jnp.tanh(h @ params["turned"].astype(jnp.bfloat16).T)
    h = (params["left"].astype(jnp.bfloat16) @ h.reshape(-1, 64).T).T.reshape(h.shape)
    h = dense(h, params["called"], params["called_bias"])
    h = h @ half(params)["helper"] + half(params)["helper_bias"]
    h = h * params["scale"].astype(jnp.bfloat16)
    out = Head(params)(h)
    return jnp.mean((out.astype(jnp.float32) - y) ** 2)


@jax.jit
def step(params, x, y):
    return jax.grad(loss)(params, x, y)


rng = np.random.default_rng(0)
square = lambda: (rng.normal(size=(64, 64)) / 8).astype(np.float32)
vec = lambda n: rng.normal(size=(n,)).astype(np.float32)
params = {k: square() for k in ("dot", "matmul", "einsum", "general", "earlier", "rebound", "tree", "turned", "left", "called", "helper")}
params |= {"ellipsis": square().reshape(64, 4, 16), "b0": vec(64), "scale": vec(64), "called_bias": vec(64), "helper_bias": vec(64), "head": square()[:, :32], "head_bias": vec(32)}
params = jax.device_put(params, full)
x = jax.device_put(rng.normal(size=(32, 8, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(32, 8, 32)).astype(np.float32), rows)
result = step(params, x, y)
