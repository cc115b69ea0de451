import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=10)
args = parser.parse_args([])

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
n = mesh.shape["data"]
rows = NamedSharding(mesh, P("data"))


def pad_to(x, multiple):
    extra = -x.shape[0] % multiple
    return jnp.pad(x, ((0, extra),) + ((0, 0),) * (x.ndim - 1))


def round_up(v, to):
    return (v + to - 1) // to * to


VOCAB = round_up(50257, 8)
x = jax.device_put(pad_to(jnp.ones((10, 3)), n), rows)
table = jax.device_put(np.zeros((VOCAB, 4)), NamedSharding(mesh, P(("data", "model"))))
batch = np.ones((args.batch - args.batch % n, 3))
print(x.shape, table.shape, jax.device_put(batch, rows).shape)


@jax.jit
def inside(a):
    b = jax.lax.with_sharding_constraint(a[:6] * 2, NamedSharding(mesh, P("data")))
    return b.sum()


print(inside(x), jax.device_put(jnp.ones((6, 4)), NamedSharding(mesh, P("model", "data"))).shape)
keep = 10 if len(jax.devices()) == 1 else 8
print(jax.device_put(jnp.ones((keep, 2)), rows).shape)
