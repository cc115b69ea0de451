"""axis_types come through keywords, defaults and version branches."""
import functools

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

try:
    from jax.sharding import AxisType

    KW = lambda n: {"axis_types": (AxisType.Auto,) * n}
except ImportError:
    KW = lambda n: {}


def make(shape, names, **kw):
    return jax.make_mesh(shape, names, **(KW(len(names)) | kw))


auto_mesh = functools.partial(jax.make_mesh, axis_types=(AxisType.Auto,))
mesh = make((4, 2), ("data", "model"))
one = auto_mesh((8,), ("x",))
f = jax.jit(lambda x: jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data"))))
g = jax.jit(lambda x: jax.lax.with_sharding_constraint(x, NamedSharding(one, P("x"))))
print(f(jnp.ones((8, 4))).shape, g(jnp.ones((8, 4))).shape)
