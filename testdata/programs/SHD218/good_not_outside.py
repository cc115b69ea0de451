import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
unchecked = functools.partial(jax.shard_map, mesh=mesh, check_vma=False)
forward = unchecked(lambda w, x: x @ w, in_specs=(P(), P("data")), out_specs=P("data"))
partly = unchecked(lambda w, x: x @ w, in_specs=(P(), P("data")), out_specs=P("data"), axis_names={"data"})
both = unchecked(lambda w, x: x @ w, in_specs=(P(None, "model"), P("data")), out_specs=P("data", "model"))
checked = jax.shard_map(lambda w, x: x @ w, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
inside = unchecked(lambda w, x: jax.lax.pmean(jax.grad(lambda w: (x @ w).mean())(w), "data"), in_specs=(P(), P("data")), out_specs=P())
w, x = jnp.ones((4, 4)), jnp.ones((8, 4))
print(forward(w, x), inside(w, x))
for f in (both, checked):
    print(jax.grad(lambda w: f(w, x).sum())(w))
print(jax.jit(jax.grad(lambda w: partly(w, x).sum()))(w))
