"""A name of a removed module is told of once, by what to use in its place; a name that the table does not hold, by its module."""
import jax

print(jax.lib.xla_bridge.get_backend().platform)  # want SHD901 "xla_bridge.get_backend was removed"
print(jax.lib.xla_client.Client)  # want SHD901 "xla_client was removed"
