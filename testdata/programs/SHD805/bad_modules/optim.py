import jax
import optax


def make(lr):
    tx = optax.adam(lr, b1=0.9, b2=0.95)
    return tx, jax.jit(tx.init)  # want SHD805 "out_shardings"
