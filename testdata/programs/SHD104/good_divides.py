"""Padding, rounding up and checks before placing."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))


def round_up(n, to):
    return -(-n // to) * to


VOCAB = round_up(1003, 128)
table = jax.device_put(jnp.zeros((VOCAB, 8)), NamedSharding(mesh, P("model")))


def pad_rows(x, multiple=8):
    missing = -x.shape[0] % multiple
    return jnp.pad(x, ((0, missing),) + ((0, 0),) * (x.ndim - 1))


x = jax.device_put(pad_rows(jnp.ones((13, 3))), NamedSharding(mesh, P(("data", "model"))))


def best_spec(shape):
    for axis in ("model", "data"):
        for d, n in enumerate(shape):
            if n % mesh.shape[axis] == 0:
                return P(*[axis if i == d else None for i in range(len(shape))])
    return P()


for shape in [(3, 8), (5, 6), (7, 7), (6, 9)]:
    print(jax.device_put(jnp.zeros(shape), NamedSharding(mesh, best_spec(shape))).sharding)
spec = P("data") if 7 % mesh.shape["data"] == 0 else P()
print(jax.device_put(jnp.zeros(7), NamedSharding(mesh, spec)))
