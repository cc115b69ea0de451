"""Full arrays are made by a helper and spread by a loop and by tree.map."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
rows = NamedSharding(mesh, P("fsdp"))
WIDTH = 1024


def dense(key, i, o):
    return {"kernel": jax.random.normal(key, (i, o)) / jnp.sqrt(i), "bias": jnp.zeros((o,))}


def init(key, layers=2):
    keys = jax.random.split(key, layers)
    return [dense(k, WIDTH, WIDTH) for k in keys]


def spread(tree):
    return jax.tree.map(partial(jax.device_put, device=rows), tree)  # want SHD305 "out_shardings"


params = spread(init(jax.random.key(0)))
embed = jnp.zeros((8 * WIDTH, 256), jnp.bfloat16)
embed = jax.device_put(embed, rows)  # want SHD305 "jnp\.zeros"
print(params[0]["kernel"].sharding.spec, embed.shape)
