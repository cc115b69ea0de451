"""Every name has a rule in one of the lists that apply; None and names of another list are fine."""
import flax.linen as nn
import jax
import numpy as np
from jax.sharding import AxisType

BASE = (("batch", "data"), ("embed", None))
TENSOR = (*BASE, ("mlp", "model"), ("heads", "model"))
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def act(x, *names):
    return nn.with_logical_constraint(x, names)


@jax.jit
def block(x, w):
    x = act(x, "batch", "embed")
    h = act(x @ w, "batch", "mlp")
    return act(h @ w.T, "batch", None)


with jax.set_mesh(mesh), nn.logical_axis_rules(TENSOR):
    print(block(np.ones((8, 4), np.float32), np.ones((4, 8), np.float32)).sharding.spec)
