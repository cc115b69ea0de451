from .meshes import build_mesh, named as ns
from . import axes
