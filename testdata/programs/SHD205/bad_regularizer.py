"""Weight decay is summed over the devices that all hold the same weights."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P
from jax.tree_util import tree_leaves

mesh = Mesh(np.array(jax.devices()), ("shard",))


class Model:
    axis = "shard"

    def l2(self, params):
        squares = [jnp.vdot(w, w) for w in tree_leaves(params)]
        return jax.lax.psum(sum(squares), self.axis)  # want SHD205 "shard"

    def loss(self, params, x):
        data = jax.lax.pmean(jnp.mean((x @ params["w"]) ** 2), self.axis)
        return data + 1e-4 * self.l2(params)


model = Model()
f = jax.shard_map(model.loss, mesh=mesh, in_specs=(P(), P(Model.axis)), out_specs=P())
print(f({"w": jnp.ones((4, 2)), "b": jnp.ones((2,))}, jnp.ones((16, 4))))
