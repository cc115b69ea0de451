from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def local(w, x):
    return jax.lax.pmean(jnp.mean((x @ w) ** 2), "data")


checked = jax.shard_map(local, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
part = jax.shard_map(local, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), axis_names={"data"}, check_vma=False)
both = jax.shard_map(lambda w, x: jax.lax.pmean(local(w, x), "model"), mesh=mesh, in_specs=(P(), P("data", "model")), out_specs=P(), check_vma=False)
only_forward = jax.shard_map(local, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
w, x = jnp.ones((4,)), jnp.ones((8, 4))
for f in (checked, part):
    print(jax.jit(jax.grad(f))(w, x).shape)
print(jax.jit(jax.grad(both))(jnp.ones((2,)), x).shape, only_forward(w, x))
