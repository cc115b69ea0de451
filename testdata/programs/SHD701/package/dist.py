"""Process helpers."""
import jax


def rank():
    return jax.process_index()


def is_leader():
    return rank() == 0


def barrier(name):
    from jax.experimental import multihost_utils

    multihost_utils.sync_global_devices(name)
