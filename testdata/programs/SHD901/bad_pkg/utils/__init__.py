from .devices import replicate
from .compat import platform
