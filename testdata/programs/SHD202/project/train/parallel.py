import jax
from jax.sharding import PartitionSpec as P

DATA = "data"


def all_reduce(tree):
    return jax.tree.map(lambda g: jax.lax.pmean(g, DATA), tree)  # want SHD202 "data"


def data_parallel(fn, mesh):
    return jax.jit(jax.shard_map(fn, mesh=mesh, in_specs=(P(), P(DATA)), out_specs=P()))
