import jax
import jax.numpy as jnp
import jax.sharding as shd
import numpy as np


def main():
    grid = np.array(jax.devices())
    first = shd.Mesh(grid.reshape(2, 4), ('r', 'c'))
    second = shd.Mesh(
        devices=grid.reshape(4, 2)[::-1],
        axis_names=('c', 'r'),
    )
    a = jax.device_put(jnp.ones((8, 8)), shd.NamedSharding(first, shd.PartitionSpec('r')))
    b = jax.device_put(jnp.ones((8, 8)), shd.NamedSharding(second, shd.PartitionSpec('c')))
    print(jax.jit(lambda x, y: x + y)(a, b).shape)  # want SHD107 "first and second hold their devices in another order or hold"


main()
