from .mesh import MESH, entered
