import jax
from jax.sharding import NamedSharding, PartitionSpec

REPLICATED = PartitionSpec()


def is_replicated(x):
    return x.sharding.spec == ()  # want SHD110 "tuple"


def pad(spec: PartitionSpec, n):
    if not isinstance(spec, (tuple, list)):  # want SHD110 "0.6.1"
        spec = (spec,)
    return list(spec)


def same(s: NamedSharding):
    return s.spec != ("data",), s.spec == REPLICATED, tuple(s.spec) == ("data",), s.spec[1:] == ("data",)  # want SHD110 "tuple"


def to_spec(names):
    if isinstance(names, tuple):
        return PartitionSpec(*names)
    return names
