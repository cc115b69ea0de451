"""vmap binds the axis; evaluation uses running averages; LayerNorm has no statistics of the batch."""
import flax.linen as nn
import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


class Net(nn.Module):
    axis: str | None = None

    @nn.compact
    def __call__(self, x, train=False):
        x = nn.LayerNorm()(x)
        return nn.BatchNorm(use_running_average=not train, axis_name=self.axis)(x)


x = np.ones((16, 4), np.float32)
model = Net()
v = model.init(jax.random.key(0), x)
mesh = Mesh(np.array(jax.devices()), ("data",))
infer = jax.shard_map(lambda v, x: model.apply(v, x), mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
print(infer(v, x).shape)
per_group = jax.vmap(lambda x: Net(axis="group").apply(v, x, train=True, mutable=["batch_stats"])[0], axis_name="group")
print(per_group(x.reshape(4, 4, 4)).shape)
