import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
queue = []


@jax.jit
def stages(x):
    outs = []
    outs.append(jax.lax.with_sharding_constraint(x, rows))
    last = (y := jax.lax.with_sharding_constraint(outs[-1] + 1, rows)) * 2
    return {"last": last, **{"first": y}}


def prefetch(batches):
    for b in batches:
        queue.append(jax.device_put(b, rows))
    while queue:
        yield queue.pop(0)


print([stages(b)["last"].sharding.spec for b in prefetch([np.ones(8, np.float32)] * 2)])
