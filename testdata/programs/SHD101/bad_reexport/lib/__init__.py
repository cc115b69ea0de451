from ._sharding import NamedSharding, P
from ._mesh import make_training_mesh

__all__ = ["NamedSharding", "P", "make_training_mesh"]
