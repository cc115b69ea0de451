"""Programs that a sharding constraint does not help, or makes worse on some backend: nothing is to be said of them.

They are compiled only: which layout the partitioner takes depends on sizes that would take long to run.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

data = Mesh(np.array(jax.devices()), ("data",))
both = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))


def array(mesh, shape, *spec, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec)))


def compiled(function, name, *args):
    function.__name__ = name
    jax.jit(function).lower(*args).compile()


def stack(ws, x):
    for w in ws:
        x = jnp.tanh(x @ w)
    return jnp.sum(x * x)


layers = [array(data, (1024, 1024), None, "data") for _ in range(4)]
# With few rows the batch sharding is lost, which is the cheaper side; with many the weights are gathered.
compiled(lambda ws, x: jax.grad(stack)(ws, x), "step_few_rows", layers, array(data, (512, 1024), "data"))
compiled(lambda ws, x: jax.grad(stack)(ws, x), "step_many_rows", layers, array(data, (16384, 1024), "data"))


def scanned(ws, x):
    def layer(h, w):
        return jnp.tanh(h @ w), None

    return jnp.sum(jax.lax.scan(layer, x, ws)[0] ** 2)


compiled(lambda ws, x: jax.grad(scanned)(ws, x), "step_scanned", array(data, (6, 1024, 1024), None, None, "data"), array(data, (512, 1024), "data"))


def label_loss(w, h, y):
    logp = jax.nn.log_softmax(h @ w)
    return -jnp.mean(jnp.take_along_axis(logp, y[:, None], 1))


compiled(lambda *a: jax.grad(label_loss)(*a), "step_labels", array(both, (512, 32768), None, "model"), array(both, (2048, 512), "data"),
         array(both, (2048,), "data", dtype=jnp.int32))


def position_table(x):
    table = jnp.sin(jnp.arange(16 * 256 * 256, dtype=jnp.float32).reshape(16, 256, 256))
    return jnp.sort(x + table, axis=1).sum(axis=(1, 2))


compiled(position_table, "step_table", array(both, (16, 256, 256), "data", None, "model"))


def recurrent(w, xs):
    def cell(h, x):
        h = jnp.tanh(h @ w + x)
        return h, h.mean()

    return jax.lax.scan(cell, jnp.zeros((1024, 256)), xs)[1]


compiled(recurrent, "step_carry", array(data, (256, 256)), array(data, (64, 1024, 256), None, "data"))


def sharded_update(w, x):
    return w - 0.1 * jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2))(w)


compiled(sharded_update, "step_update", array(data, (1024, 1024), "data"), array(data, (512, 1024), "data"))


def strided(w, x):
    def add(total, rows):
        return total + jnp.sum(jnp.tanh(rows @ w)), None

    return jax.lax.scan(add, jnp.zeros(()), x.reshape(256, 4, 1024).swapaxes(0, 1))[0]


compiled(strided, "step_strided", array(both, (1024, 1024)), array(both, (1024, 1024), "data"))


def attention(ws, x):
    q, k, v = ((x @ w).reshape(4, 2048, 16, 64) for w in ws)
    a = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k))
    return jnp.einsum("bhqk,bkhd->bqhd", a, v)


compiled(attention, "step_attention", [array(data, (1024, 1024)) for _ in range(3)], array(data, (4, 2048, 1024), None, "data"))
