"""The mapped axis has another name than the one the module asks for."""
import flax.linen as nn
import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


class Net(nn.Module):
    axis: str | None = None

    @nn.compact
    def __call__(self, x):
        return nn.BatchNorm(use_running_average=False, axis_name=self.axis)(x)  # want SHD809 "batch"


model = Net(axis="batch")
mesh = Mesh(np.array(jax.devices()), ("data",))
x = np.ones((16, 4), np.float32)
v = {"params": {"BatchNorm_0": {"scale": np.ones(4), "bias": np.zeros(4)}}, "batch_stats": {"BatchNorm_0": {"mean": np.zeros(4), "var": np.ones(4)}}}
run = jax.shard_map(lambda v, x: model.apply(v, x, mutable=["batch_stats"])[0], mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
print(run(v, x).shape)
