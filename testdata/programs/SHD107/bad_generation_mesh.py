"""The weights live on a mesh in the order of the ids, the sampler's mesh reverses it."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def devices(reverse=False):
    ids = np.array(jax.devices())
    return np.flip(ids) if reverse else ids


@dataclasses.dataclass(frozen=True)
class Meshes:
    train: Mesh
    sample: Mesh


meshes = Meshes(train=Mesh(devices(), ("x",)), sample=Mesh(devices(reverse=True), ("x",)))


@jax.jit
def score(w, tokens):
    return tokens @ w


w = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(meshes.train, P(None)))
tokens = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(meshes.sample, P("x")))
print(score(w, tokens).shape)  # want SHD107 "reverse=True.*order"
