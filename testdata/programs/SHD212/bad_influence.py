"""The gradient of each device's part of the data is wanted, and the sum is returned."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("shard",), axis_types=(AxisType.Auto,))


def loss(params, batch):
    return jnp.mean((batch["x"] @ params["w"] - batch["y"]) ** 2)


def influence(params, batch):
    value, grads = jax.value_and_grad(loss)(params, batch)  # want SHD212 "shard"
    return {"loss": value[None], "grad": jax.tree.map(lambda g: g[None], grads)}


run = jax.shard_map(influence, mesh=mesh, in_specs=(P(), P("shard")), out_specs=P("shard"))
batch = {"x": jnp.arange(64.0).reshape(16, 4), "y": jnp.ones(16)}
out = run({"w": jnp.ones(4)}, batch)
print(out["grad"]["w"][:2])
