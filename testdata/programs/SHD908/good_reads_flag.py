"""Reads the flag, sets it to True, and sets it by a value that nobody knows here."""
import os

import jax
import jax.numpy as jnp

print(os.environ.get("JAX_USE_SHARDY_PARTITIONER", "0"))
use_shardy = os.environ.get("RUN_WITH_SHARDY", "1") == "1"
jax.config.update("jax_use_shardy_partitioner", use_shardy)
if not jax.config.jax_use_shardy_partitioner:
    raise SystemExit("this program needs Shardy")
jax.config.jax_use_shardy_partitioner
print(jnp.ones(3).sum())
