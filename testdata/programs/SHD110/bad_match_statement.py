"""Adds a leading dimension to every spec of a scanned stack."""
import jax
from jax.sharding import PartitionSpec

LAYER_SPECS = {"q": PartitionSpec("fsdp", "tp"), "norm": PartitionSpec(None)}


def stacked(spec):
    if not isinstance(spec, (tuple, list)):  # want SHD110 "tuple"
        return PartitionSpec()
    return PartitionSpec(None, *spec)


print({name: stacked(spec) for name, spec in LAYER_SPECS.items()})
