"""Every output is named or reduced, whichever way."""
from functools import partial, reduce

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
AXES = tuple(mesh.axis_names)


def over_all(f, x):
    return reduce(lambda value, axis: f(value, axis), AXES, x)


@partial(jax.shard_map, mesh=mesh, in_specs=P("data", "model"), out_specs={"sum": P(), "rows": P("data"), "top": P(), "count": P()})
def stats(x):
    top = lax.all_gather(x.max()[None], AXES, tiled=True, to="invarying")
    return {
        "sum": over_all(lax.psum, x.sum()),
        "rows": lax.psum(x.sum(1), "model"),
        "top": top.max(),
        "count": lax.psum(1, AXES) * x.size,
    }


print(stats(jnp.ones((8, 4))))
