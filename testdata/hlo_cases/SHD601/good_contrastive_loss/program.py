"""A contrastive loss over the global batch in a shard_map, embeddings gathered by hand."""
import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import NamedSharding, PartitionSpec as P, AxisType

mesh = jax.make_mesh((8,), ("batch",), axis_types=(AxisType.Auto,))


def encode(p, x):
    z = jax.nn.gelu(x @ p["in"].astype(jnp.bfloat16)) @ p["out"].astype(jnp.bfloat16)
    z = z.astype(jnp.float32)
    return z / jnp.linalg.norm(z, axis=-1, keepdims=True)


def local(p, image, text):
    a, b = encode(p["image"], image), encode(p["text"], text)
    every = jax.lax.all_gather(b, "batch", tiled=True)
    logits = a @ every.T * jnp.exp(p["scale"])
    rank = jax.lax.axis_index("batch")
    labels = rank * a.shape[0] + jnp.arange(a.shape[0])
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("batch"), P("batch")), out_specs=(P(), P()))
def step(p, image, text):
    varying = jax.tree.map(lambda w: jax.lax.pcast(w, ("batch",), to="varying"), p)
    loss, g = jax.value_and_grad(local)(varying, image, text)
    g = jax.lax.pmean(g, "batch")
    return jax.tree.map(lambda w, d: w - 0.1 * d, p, g), jax.lax.pmean(loss, "batch")


tower = lambda d: {"in": np.full((d, 64), 0.1, np.float32), "out": np.full((64, 32), 0.1, np.float32)}
p = jax.device_put({"image": tower(48), "text": tower(24), "scale": np.float32(1.0)}, NamedSharding(mesh, P()))
image = jax.device_put(jnp.ones((64, 48), jnp.bfloat16), NamedSharding(mesh, P("batch")))
text = jax.device_put(jnp.ones((64, 24), jnp.bfloat16), NamedSharding(mesh, P("batch")))
p, loss = step(p, image, text)
print(loss)
