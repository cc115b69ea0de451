import jax
import numpy as np

mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("layer", "model"))


def stacked(layer_axis, inner=jax.sharding.PartitionSpec("model", None)):
    return jax.sharding.PartitionSpec(layer_axis, *inner)  # want SHD102 "model"
