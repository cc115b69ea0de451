"""Score matching in a sharded sampler: every walker wants its own score with respect to its temperature."""
from functools import partial

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((8,)), ("walker",))


def energy(params, x):
    return jnp.sum(jnp.tanh(x @ params["w"]) * params["scale"])


class Scores:
    def __init__(self, fn):
        self.grad = jax.vmap(jax.grad(fn), in_axes=(None, 0))

    @partial(jax.jit, static_argnums=0)
    def __call__(self, params, xs):
        mapped = jax.shard_map(self.local, mesh=mesh, in_specs=(P(), P("walker")), out_specs=P("walker"))
        return mapped(params, xs)

    def local(self, params, xs):
        scores = self.grad(params, xs)  # want SHD212 "walker"
        return scores


params = {"w": jnp.ones((3,)), "scale": jnp.ones(())}
print(jax.tree.map(jnp.shape, Scores(energy)(params, jnp.ones((16, 3)))))
