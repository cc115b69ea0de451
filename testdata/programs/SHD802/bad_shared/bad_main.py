import flax.linen as nn
import jax
import numpy as np

from common import LOGICAL_RULES
from model import Projection

specs = nn.get_partition_spec(jax.eval_shape(Projection().init, jax.random.key(0), np.ones((2, 8), np.float32)))
print(nn.logical_to_mesh(specs, LOGICAL_RULES)["params"])
