import jax
import numpy as np
from jax.sharding import Mesh

from tables import make_positions
from layout import RULES

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), tuple(RULES))
with mesh:
    table = make_positions(length=77)
print(table.sharding.is_fully_replicated, table.shape)
