"""Synthetic data drawn with NumPy, in its old and its new way."""
import dataclasses

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Synthetic:
    examples: int = 50
    features: int = 16
    seed: int = 0

    def batch(self):
        rng = np.random.default_rng(self.seed)
        x = rng.normal(size=(self.examples, self.features)).astype(np.float32)
        y = rng.integers(0, 10, self.examples)
        return {"x": x, "y": y}


mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
rows = NamedSharding(mesh, P("data"))
even = jax.device_put(np.random.randn(48, 4), rows)
batch = Synthetic(examples=48).batch()
print(even.shape, jax.device_put(batch, rows)["y"].shape)
odd = Synthetic().batch()
print(jax.device_put(odd["x"], rows))  # want SHD104 "50.*4"
print(jax.device_put(np.random.rand(6, 4), rows))  # want SHD104 "6.*4"
