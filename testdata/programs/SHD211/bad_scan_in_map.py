"""The constraint sits in a scan body and in a checkpointed function."""
import jax
import jax.numpy as np
import jax.sharding as shd

mesh = jax.make_mesh((8,), ("seq",), axis_types=(shd.AxisType.Auto,))
SEQ = shd.NamedSharding(mesh, shd.PartitionSpec("seq"))


@jax.checkpoint
def cell(h, x):
    h = np.tanh(h + x)
    return jax.lax.with_sharding_constraint(h, SEQ)  # want SHD211 "seq"


def body(xs):
    h, _ = jax.lax.scan(lambda h, x: (cell(h, x), None), xs[0], xs)
    return h


print(jax.jit(jax.shard_map(body, mesh=mesh, in_specs=shd.PartitionSpec(None, "seq"), out_specs=shd.PartitionSpec("seq")))(np.ones((3, 8))))
