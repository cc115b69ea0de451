import jax
from jax import P, NamedSharding
from jax.sharding import AxisType

PREFIX = "mesh"
X, Y = (f"{PREFIX}_{a}" for a in "xy")
mesh = jax.make_mesh((4, 2), (X, Y), axis_types=(AxisType.Auto, AxisType.Auto))
ok = NamedSharding(mesh, P(X, Y))
also = NamedSharding(mesh, P("mesh_x"))
bad = NamedSharding(mesh, P(f"{PREFIX}_z"))  # want SHD101 "mesh_z"
