"""Flags of the run in one place."""
import jax
import jax.numpy as jnp

FLAGS = {
    "jax_use_shardy_partitioner": False,
    "jax_default_matmul_precision": "float32",
}


def configure(flags):
    for name, value in flags.items():
        jax.config.update(name, value)  # want SHD908 "jax_use_shardy_partitioner"


configure(FLAGS)
print(jax.config.jax_use_shardy_partitioner, jnp.ones(3).sum())
