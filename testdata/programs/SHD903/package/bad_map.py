import jax
import jax.numpy as jnp
from jax import P

from meshes import data_mesh

mesh = data_mesh()


@jax.shard_map(mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def loss(w, x):
    return jax.lax.pmean(jnp.mean((x @ w) ** 2), "data")


print(loss(jnp.ones((4,)), jnp.ones((16, 4))))
