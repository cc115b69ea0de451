import jax


def init():
    jax.distributed.initialize()


DEVICES = jax.devices()
