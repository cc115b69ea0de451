"""The flag and the variable among others, in updates."""
import os

os.environ.update(JAX_USE_SHARDY_PARTITIONER="false", XLA_PYTHON_CLIENT_PREALLOCATE="0")  # want SHD908 "JAX_USE_SHARDY_PARTITIONER"
os.environ.update({"JAX_USE_SHARDY_PARTITIONER": "0"})  # want SHD908 "JAX_USE_SHARDY_PARTITIONER"

import jax

for name, value in {"jax_use_shardy_partitioner": False, "jax_enable_x64": False}.items():
    jax.config.update(name, value)  # want SHD908 "jax_use_shardy_partitioner"
os.environ.update(JAX_USE_SHARDY_PARTITIONER="true")
