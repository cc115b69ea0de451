"""Expert parallelism: dispatch by all_to_all, dropout with own keys, load balancing with global means."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

E = 8
mesh = jax.make_mesh((E,), ("expert",), axis_types=(AxisType.Auto,))


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("expert"), P("expert"), P()), out_specs=(P("expert"), P()))
def moe(router, w, x, key):
    key = jax.random.fold_in(key, lax.axis_index("expert"))
    logits = x @ router + 0.01 * jax.random.normal(key, (x.shape[0], E))
    gates = jax.nn.softmax(logits)
    density = lax.pmean(gates.mean(0), "expert")
    balance = (density**2).sum() * E
    choice = gates.argmax(-1)
    mask = jax.nn.one_hot(choice, E)
    slots = jnp.einsum("te,td->etd", mask, x)
    sent = lax.all_to_all(slots, "expert", split_axis=0, concat_axis=0)
    y = jnp.einsum("etd,df->etf", sent, w[0])
    back = lax.all_to_all(y, "expert", 0, 0)
    count = lax.psum(mask.sum(), "expert")
    return jnp.einsum("etf,te->tf", back, mask), balance / count


print(moe(jnp.ones((4, E)), jnp.ones((E, 4, 4)), jnp.ones((16, 4)), jax.random.key(0))[0].shape)
