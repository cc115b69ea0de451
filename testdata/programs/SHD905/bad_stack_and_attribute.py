"""The old context manager through a factory, an ExitStack, an attribute and a property."""
import contextlib
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


def build_mesh(shape=(4, 2), names=("data", "model")):
    return Mesh(np.array(jax.devices()).reshape(shape), names)


@dataclass
class Env:
    names: tuple = ("data", "model")

    @property
    def mesh(self):
        return build_mesh(names=self.names)


def forward(w, x):
    return jax.lax.with_sharding_constraint(x @ w, P("data", "model"))


env = Env()
w, x = jnp.ones((8, 8)), jnp.ones((4, 8))
with env.mesh as m:  # want SHD905 "set_mesh\(env\.mesh\)"
    print(jax.jit(forward)(w, x).shape, m.shape["data"])

with contextlib.ExitStack() as stack:
    stack.enter_context(build_mesh())  # want SHD905 "set_mesh"
    print(jax.jit(forward)(w, x).shape)

with contextlib.nullcontext(), build_mesh(), jax.named_scope("eval"):  # want SHD905 "set_mesh"
    print(jax.jit(forward)(w, x).shape)
