import jax

OPTIONS = {
    "jax_threefry_partitionable": True,
    "jax_use_shardy_partitioner": False,
}


def apply():
    for name, value in OPTIONS.items():
        jax.config.update(name, value)  # want SHD908 "jax_use_shardy_partitioner"
