import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

IN = (P("data"), P(None, "modell"))  # want SHD101 "modell"
OUT = P("data", "model")


@jax.jit
def helper(x):
    return jax.lax.with_sharding_constraint(x, P("data", "expert"))  # want SHD101 "expert"


step = jax.jit(lambda x, w: helper(x @ w), in_shardings=IN, out_shardings=OUT)


def main():
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
    with jax.set_mesh(mesh):
        return step(jnp.ones((8, 8)), jnp.ones((8, 8)))


main()
