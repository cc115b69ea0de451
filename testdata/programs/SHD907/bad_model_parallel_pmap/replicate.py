import functools

from jax import pmap

replicated = functools.partial(pmap, axis_name="i")
