"""Defaults and overrides are put together by unpacking."""
import jax
import numpy as np
from flax import nnx
from jax.sharding import Mesh

DEFAULTS = (("vocab", "model"), ("embed", None))
OVERRIDES = (("embed", "fsdp"),)  # want SHD803 "embed"
RULES = (*DEFAULTS, *OVERRIDES)


def build():
    return nnx.Embed(16, 8, embedding_init=nnx.with_partitioning(nnx.initializers.normal(), ("vocab", "embed")), rngs=nnx.Rngs(0))


with jax.set_mesh(Mesh(np.array(jax.devices()).reshape(4, 2), ("fsdp", "model"))):
    with nnx.logical_axis_rules(RULES):
        print(build().embedding.get_value().sharding.spec)
