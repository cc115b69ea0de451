"""The same in other spellings."""
import equinox as eqx
import jax
import numpy as np
from equinox import filter_jit
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))


@filter_jit(
    in_shardings=(None, rows),  # want SHD806 "equinox\.filter_jit raises ValueError for in_shardings, out"
    out_shardings=rows,
)
def forward(model, x):
    """Runs the model."""
    y = jax.vmap(model)(x)
    return y


@eqx.filter_jit(static_argnums=1)  # want SHD806 "equinox\.filter_jit raises ValueError for static_argnums"
def scaled(x, n):
    return x * n


def loss(model, x):
    return (jax.vmap(model)(x) ** 2).mean()


jitted = eqx.filter_jit(loss, in_shardings=(None, rows))  # want SHD806 "equinox\.filter_jit raises ValueError for in_shardings"
double = eqx.filter_jit(lambda x: x + x, in_shardings=rows, out_shardings=rows)  # want SHD806 "equinox\.filter_jit raises ValueError for in_shardings, out"
m = eqx.nn.Linear(4, 2, key=jax.random.key(0))
x = np.ones((8, 4), np.float32)
print(forward(m, x).sharding.spec, scaled(x, 2).shape, jitted(m, x).shape, double(x).sharding.spec)
