import jax
import jax.numpy as jnp

from lib import NamedSharding, P, make_training_mesh

mesh = make_training_mesh(fsdp=4)


@jax.jit
def ffn(x, w):
    h = jax.nn.silu(x @ w)
    return jax.lax.with_sharding_constraint(h, NamedSharding(mesh, P("fsdp", "tensor")))  # want SHD101 "tensor"


print(ffn(jnp.ones((8, 16)), jnp.ones((16, 8))).shape)
