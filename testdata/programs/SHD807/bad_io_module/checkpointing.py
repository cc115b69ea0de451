import os

import orbax.checkpoint as ocp


def save(directory, state):
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(os.path.join(directory, "last"), state)


def load(directory):
    checkpointer = ocp.StandardCheckpointer()
    return checkpointer.restore(os.path.join(directory, "last"))  # want SHD807 "sharding"
