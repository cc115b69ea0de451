"""Rules are active while the parameters are made, not while the step is traced."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

RULES = (("batch", "data"), ("embed", None), ("mlp", "model"))


class Mlp(nn.Module):
    width: int = 16

    @nn.compact
    def __call__(self, x):
        h = nn.relu(nn.Dense(self.width, use_bias=False)(x))
        return nn.with_logical_constraint(h, ("batch", "mlp"))


def forward(params, x):
    y = x @ params["w"]
    return nn.with_logical_constraint(y, ("batch", "embed"))  # want SHD801 "rules"


mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
with jax.set_mesh(mesh):
    params = {"w": np.ones((4, 4), np.float32)}
    print(jax.jit(forward)(params, np.ones((8, 4), np.float32)).sharding.spec)
    with nn.logical_axis_rules(RULES):
        print(Mlp().init(jax.random.key(0), np.ones((8, 4), np.float32))["params"]["Dense_0"]["kernel"].shape)
