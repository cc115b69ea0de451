"""The same in other spellings."""
from functools import partial

import flax.linen as nn
import jax
import numpy as np
from flax.linen import BatchNorm
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("dp",))


class Net(nn.Module):
    norm: callable = partial(BatchNorm, use_running_average=False)

    def setup(self):
        self.bn = nn.BatchNorm(  # want SHD809 "each device normalizes by the statistics of its own rows\: t"
            use_running_average=False,
            momentum=0.9,
        )

    def __call__(self, x):
        return self.bn(x)


net = Net()
x = np.arange(32, dtype=np.float32).reshape(16, 2)
v = net.init(jax.random.key(0), x)
f = jax.shard_map(lambda v, x: net.apply(v, x, mutable=["batch_stats"])[0], mesh=mesh, in_specs=(P(), P("dp")), out_specs=P("dp"), check_vma=False)
print(np.ptp(np.asarray(f(v, x))) > 3)
