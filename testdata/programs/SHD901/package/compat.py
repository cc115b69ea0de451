"""Names that the rest of the package imports."""
from jax.sharding import Mesh, NamedSharding, PartitionSpec, use_mesh  # want SHD901 "use_mesh.*set_mesh"

__all__ = ["Mesh", "NamedSharding", "PartitionSpec", "use_mesh"]
