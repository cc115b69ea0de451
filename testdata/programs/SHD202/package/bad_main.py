import jax
import jax.numpy as jnp
from jax import P

from recipes import AXES, build_mesh, mean_over

mesh = build_mesh(data=8)


def loss_fn(params, x):
    h = jnp.maximum(x @ params["w1"], 0)
    return (h @ params["w2"]).mean()


@jax.shard_map(mesh=mesh, in_specs=(P(), P(AXES.data)), out_specs=(P(), P()))
def step(params, x):
    loss, grads = jax.value_and_grad(jax.checkpoint(loss_fn))(params, x)
    grads = mean_over(grads)
    return jax.tree.map(lambda p, g: p - g, params, grads), mean_over(loss)


params = {"w1": jnp.ones((4, 8)), "w2": jnp.ones((8, 1))}
print(step(params, jnp.ones((16, 4)))[1])
