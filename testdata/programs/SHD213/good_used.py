from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh)
a = smap(lambda w: lax.all_gather(w, "fsdp", tiled=True, to="invarying"), in_specs=P("fsdp"), out_specs=P())
b = smap(lambda w, x: x @ lax.all_gather(w, "fsdp", tiled=True), in_specs=(P("fsdp"), P("fsdp")), out_specs=P("fsdp"))
c = smap(lambda w: lax.all_gather(w, "fsdp", tiled=True)[None], in_specs=P("fsdp"), out_specs=P("fsdp"))
print(a(jnp.ones((8, 2))).shape, b(jnp.ones((8, 2)), jnp.ones((8, 8))).shape, c(jnp.ones((8, 2))).shape)
