"""Per-device diagnostics: one of them is a vdot and has no dimension to split."""
import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))
BATCH = P(("data", "model"))
OUT = {"norm": BATCH, "largest": BATCH}


def diagnose(g):
    flat = g.ravel()
    return {
        "norm": jnp.sqrt(jnp.vdot(flat, flat)),
        "largest": jnp.max(jnp.abs(g), axis=tuple(range(g.ndim)), keepdims=True)[..., 0],
    }


run = jax.jit(jax.shard_map(diagnose, mesh=mesh, in_specs=BATCH, out_specs=OUT))  # want SHD210 "norm|scalar|rank 0"
print(run(jnp.ones((16, 4)))["norm"].shape)
