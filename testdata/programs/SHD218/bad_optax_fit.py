from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
tx = optax.adam(1e-3)
options = dict(mesh=mesh, check_vma=False)


def local_loss(params, batch):
    pred = batch["x"] @ params["w"] + params["b"]
    return jax.lax.pmean(jnp.mean((pred - batch["y"]) ** 2), "data")


global_loss = jax.shard_map(local_loss, in_specs=(P(), P("data")), out_specs=P(), **options)  # want SHD218 "model"


@jax.jit
def train_step(params, opt_state, batch):
    loss, grads = jax.value_and_grad(global_loss)(params, batch)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


params = {"w": jnp.ones((4, 1)), "b": jnp.zeros((1,))}
batch = {"x": jnp.ones((8, 4)), "y": jnp.ones((8, 1))}
print(train_step(params, tx.init(params), batch)[2])
