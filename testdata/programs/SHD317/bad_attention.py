"""Attention with heads split; the output projection contracts over the split dimension."""
import jax
import jax.numpy as np
from jax import lax
import jax.sharding as shd

P = shd.PartitionSpec
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(shd.AxisType.Explicit,) * 2)


class Block:
    def __init__(self):
        self.wq = jax.device_put(np.ones((8, 4, 2)), shd.NamedSharding(mesh, P(None, "tp", None)))
        self.wo = jax.device_put(np.ones((4, 2, 8)), shd.NamedSharding(mesh, P("tp", None, None)))

    def __call__(self, x):
        q = np.einsum("btd,dhk->bthk", x, self.wq)
        return np.einsum("bthk,hkd->btd", q, self.wo)  # want SHD317 "tp"


x = jax.device_put(np.ones((4, 2, 8)), shd.NamedSharding(mesh, P("dp")))
print(Block()(x))
