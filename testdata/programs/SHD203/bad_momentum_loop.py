"""Momentum by hand in a fori_loop inside the map."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def fit(w, x, steps=3, lr=0.1, mu=0.9):
    def body(_, carry):
        w, m = carry
        g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
        m = mu * m + g
        return w - lr * m, m  # want SHD203 "d"

    w, _ = lax.fori_loop(0, steps, body, (w, jnp.zeros_like(w)))
    return w


run = jax.jit(jax.shard_map(fit, mesh=mesh, in_specs=(P(), P("d")), out_specs=P(), check_vma=False))
print(run(jnp.ones((4, 1)), jnp.ones((16, 4))))
