"""Ends inside the compiler, as an XLA check that fails does."""
import os

import jax._src.compiler as compiler


def abort(*args, **kwargs):
    os.write(2, b"check failed\n")
    os.abort()


compiler.backend_compile_and_load = abort
import train  # noqa: E402, F401
