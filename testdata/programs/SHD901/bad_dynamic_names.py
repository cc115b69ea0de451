"""Old names through a module alias, a default argument and a class attribute."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, sharding
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


class Context:
    enter = staticmethod(sharding.use_mesh)  # want SHD901 "use_mesh.*0\.7\.1"


def varying(x, axis, cast=lax.pvary):  # want SHD901 "pvary.*pcast"
    return cast(x, axis)


def tree(f, *trees):
    return jax.tree_map(f, *trees)  # want SHD901 "tree_map"


print(tree(lambda a: a + 1, {"a": jnp.ones(2)}))
