import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
x = jax.device_put(jnp.ones((8, 2)), NamedSharding(mesh, P("data", None)))
print(tuple(x.sharding.spec) == ("data", None), x.sharding.spec == P("data", None), isinstance(P("data"), (P, tuple)))
print(x.sharding.is_equivalent_to(NamedSharding(mesh, P("data")), 2), [e for e in x.sharding.spec], P("data")[0] == "data")
for spec in (P("data"), ("data",)):
    print(len(spec), isinstance(("data",), tuple))
