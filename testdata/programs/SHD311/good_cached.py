import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@functools.lru_cache(None)
def compiled(n):
    return jax.jit(lambda x: x * n)


layouts = {}
for name in ("a", "b"):
    layouts[name] = NamedSharding(mesh, P("data" if name == "a" else None))
steps = [jax.jit(functools.partial(jnp.add, k)) for k in range(3)]
for fn in steps:
    print(fn(jnp.ones(2)).sum())
for n in range(2):
    print(compiled(n)(jnp.ones(2)).sum(), jax.device_put(np.ones(8), layouts["a"]).shape)
