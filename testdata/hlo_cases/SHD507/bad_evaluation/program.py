"""Evaluation: no gradients; perplexity and accuracy over a sharded batch, bfloat16 tensor-parallel weights."""
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P, AxisType

mesh = jax.make_mesh((4, 2), ("dp", "mp"), axis_types=(AxisType.Auto,) * 2)


@jax.jit
def eval_step(params, batch):
    p = jax.tree.map(lambda a: a.astype(jnp.bfloat16), params)
    h = p["emb"][batch["ids"]]
    for w in p["mlp"]:
        h = h + jax.nn.gelu(h @ w["up"]) @ w["down"]
    logits = (h @ p["out"]).astype(jnp.float32)
    nll = -jnp.take_along_axis(jax.nn.log_softmax(logits), batch["labels"][..., None], -1)[..., 0]
    hit = (logits.argmax(-1) == batch["labels"]) * batch["mask"]
    top5 = (jax.lax.top_k(logits, 5)[1] == batch["labels"][..., None]).any(-1) * batch["mask"]  # want SHD507 "top_k.*'dp', 1.0 MiB"
    n = batch["mask"].sum()
    return {"nll": (nll * batch["mask"]).sum() / n, "acc": hit.sum() / n, "top5": top5.sum() / n}


ns = lambda *s: NamedSharding(mesh, P(*s))
put = lambda shape, *s: jax.device_put(np.full(shape, 0.1, np.float32), ns(*s))
params = {"emb": put((512, 64)), "out": put((64, 512)), "mlp": [{"up": put((64, 256), None, "mp"), "down": put((256, 64), "mp", None)} for _ in range(2)]}
batch = {"ids": jax.device_put(np.zeros((16, 32), np.int32), ns("dp")), "labels": jax.device_put(np.zeros((16, 32), np.int32), ns("dp")), "mask": jax.device_put(np.ones((16, 32), np.float32), ns("dp"))}
print(eval_step(params, batch)["nll"])
