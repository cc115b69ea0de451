"""Every shard samples with the same key from its own logits; an MCMC chain likewise."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("chain", "model"), axis_types=(AxisType.Auto,) * 2)


class Sampler:
    def __init__(self, seed=0):
        self.key = jax.random.key(seed)

    def propose(self, x):
        return x + jax.random.normal(self.key, shape=x.shape)  # want SHD216 "chain"

    def sample(self, logits):
        return jax.random.categorical(self.key, logits)  # want SHD216 "chain"


s = Sampler()
print(jax.shard_map(s.propose, mesh=mesh, in_specs=P("chain"), out_specs=P("chain"))(jnp.zeros(8)))
print(jax.shard_map(s.sample, mesh=mesh, in_specs=P("chain"), out_specs=P("chain"))(jnp.zeros((8, 5))))
