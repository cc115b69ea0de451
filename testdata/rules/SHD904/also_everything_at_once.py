from jax import shard_map as smap
from jax.sharding import Mesh, PartitionSpec as P
import jax
import jax.numpy as jnp

mesh = Mesh(jax.devices(), ('x',))
f = smap(  # want SHD904 "jax\.shard_map takes mesh, in_specs and out_specs by keyword;"
    jnp.cos,
    mesh,
    P('x'),
    P('x'),
    check_rep=False,  # want SHD904 "jax\.shard_map has no check_rep; it is called check_vma"
    axis_names=['x'],  # want SHD904 "axis_names of jax\.shard_map has to be a set; a list raises T"
)
print(f(jnp.ones(8)).shape)
