"""Modules of jax.lib are gone since 0.9.0; a use of a name that went before is told of in their place."""
from jax.lib import xla_bridge  # want SHD901 "xla_bridge was removed in JAX 0\.9\.0"
import jax.lib.xla_extension as extension  # want SHD901 "xla_extension"

print(xla_bridge, extension)
