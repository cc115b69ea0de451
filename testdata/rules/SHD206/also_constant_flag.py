import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax, shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ('dp',))
NO = False


def loss(w, x):
    return ((x @ w) ** 2).mean()


def step(w, x):
    value, grads = jax.value_and_grad(loss)(w, x)
    grads = jax.tree.map(lambda g: lax.pmean(g, 'dp'), grads)
    return w - 0.1 * grads, lax.pmean(value, 'dp')


f = shard_map(
    step,
    mesh=mesh,
    in_specs=(P(), P('dp')),
    out_specs=P(),
    check_vma=NO,  # want SHD206 "check_vma=False switches off the proof that replicated outpu"
)
print(f(jnp.ones(4), jnp.ones((16, 4))))
