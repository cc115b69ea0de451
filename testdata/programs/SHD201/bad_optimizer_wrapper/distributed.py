import jax

AXIS_NAME = "replica"


def cross_replica(update, axis_name=AXIS_NAME):
    def apply(params, grads):
        grads = jax.tree.map(lambda g: jax.lax.pmean(g, axis_name), grads)  # want SHD201 "replica"
        return update(params, grads)

    return apply
