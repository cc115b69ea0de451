"""A dictionary of outputs with one wrong spec; the local loss comes from a helper."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("dp",), axis_types=(AxisType.Auto,))


def stats(x):
    sq = jnp.square(x).sum()
    return {"max": jax.lax.pmax(x.max(), "dp"), "energy": sq, "x": x}


def make(out=None):
    out = out or dict.fromkeys(("max", "energy"), P())
    return jax.shard_map(
        stats,
        mesh=mesh,
        in_specs=P("dp"),
        out_specs={**out, "x": P("dp")},  # want SHD207 "dp"
    )


print(make()(jnp.ones(8)))
