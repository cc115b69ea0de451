"""Prefixes and full trees of specs, and a bound method whose self has none."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


class Model:
    def __init__(self, scale):
        self.scale = scale

    def apply(self, params, batch, temperature=1.0):
        y = batch["x"] @ params["w"] / temperature * self.scale
        return {"y": y, "norm": jax.lax.psum(jnp.sum(y * y), "data")}


model = Model(2.0)
full = jax.shard_map(model.apply, mesh=mesh, in_specs=({"w": P()}, {"x": P("data")}), out_specs={"y": P("data"), "norm": P()})
hot = jax.shard_map(partial(model.apply, temperature=0.5), mesh=mesh, in_specs=(P(), P("data")), out_specs={"y": P("data"), "norm": P()})
args = {"w": jnp.ones(4)}, {"x": jnp.ones((8, 4))}
print(full(*args)["norm"], hot(*args)["norm"], jax.shard_map(lambda *a: a[0] + a[-1], mesh=mesh, in_specs=(P("data"),) * 3, out_specs=P("data"))(*[jnp.ones(8)] * 3))
