"""Re-exports for the package."""
from jax.experimental.shard_map import shard_map  # want SHD902 "shard_map"

from .reduce import mean
