import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))


def specs_of(kind):
    match kind:
        case "row":
            return (P("data", None), P()), P("data", None)
        case "column":
            return (P("data", "model"), P("model", None)), P("data", None)
        case _:
            raise ValueError(kind)
