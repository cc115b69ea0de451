"""Packages without a file of their own, imported by their dotted names."""
import lib.layout.meshes
import lib.names.axes
from jax.sharding import NamedSharding, PartitionSpec as P

rows = NamedSharding(lib.layout.meshes.mesh, P(lib.names.axes.BATCH))
columns = NamedSharding(lib.layout.meshes.mesh, P(None, lib.names.axes.MODEL))  # want SHD101 "'modell' is no axis of .*mesh.*'data'"
print(rows, columns)
