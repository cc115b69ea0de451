import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

MESH = Mesh(mesh_utils.create_device_mesh((8,)), ("replica",))


def flip(key, x):
    coin = jax.random.uniform(key, (x.shape[0],)) < 0.5  # want SHD216 "replica"
    return jnp.where(coin[:, None, None, None], x[:, :, ::-1], x)


def jitter(key, x, *, scale):
    return x + scale * jax.random.normal(key, x.shape)  # want SHD216 "replica"


@dataclasses.dataclass
class Augment:
    noise: float = 0.0

    def __call__(self, key, images):
        stages = [flip, functools.partial(jitter, scale=self.noise)]

        @functools.partial(jax.shard_map, mesh=MESH, in_specs=(P(), P("replica")), out_specs=P("replica"))
        def run(key, x):
            for i, stage in enumerate(stages):
                x = stage(jax.random.fold_in(key, i), x)
            return x

        return run(key, images)
