"""The dict of out_specs has other keys than the dict that the function returns."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
smap = functools.partial(jax.shard_map, mesh=mesh, in_specs=P("data"))
NAMES = ("loss", "rows")


def metrics(x):
    return dict(loss=jax.lax.psum(x.sum(), "data"), rows=x)


lacking = smap(metrics, out_specs={name: P() for name in NAMES[:1]})  # want SHD209 "lacks the key 'rows'"
excess = smap(metrics, out_specs={"loss": P(), "rows": P("data"), "accuracy": P()})  # want SHD209 "has the key 'accuracy'"
for f in (lacking, excess):
    print(f(jnp.ones(8)))
