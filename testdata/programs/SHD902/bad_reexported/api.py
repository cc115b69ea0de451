import jax.experimental.pjit


def compile_fn(f, sharding):
    return jax.experimental.pjit.pjit(f, in_shardings=sharding, out_shardings=sharding)  # want SHD902 "pjit.*jax\.jit"
