from .comm import mean_over, sum_over
from .layout import AXES, build_mesh
