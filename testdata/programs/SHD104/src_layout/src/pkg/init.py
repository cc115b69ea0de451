import jax
import jax.numpy as jnp
import numpy as np

from pkg.config import DEFAULT as cfg

mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(8), ("tp",))
table = jnp.zeros((cfg.vocab, cfg.width))
table = jax.device_put(table, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("tp")))  # want SHD104 "50257.*8"
