"""The module goes by another name in functions that nothing here calls."""
from jax.lib import xla_bridge as bridge


def platform():
    return bridge.get_backend().platform  # want SHD901 "xla_bridge.get_backend was removed"


class Backend:
    def version(self):
        backend = bridge.get_backend("cpu")  # want SHD901 "xla_bridge.get_backend was removed"
        return backend.platform_version
