import os

import jax


def start():
    jax.distributed.initialize(os.environ.get("COORD", "localhost:12792"), int(os.environ.get("NPROC", "1")), int(os.environ.get("RANK", "0")))


def is_main():
    return jax.process_index() == 0
