import jax
import jax.numpy as jnp
from jax.experimental import custom_partitioning as cp


@cp.custom_partitioning
def f(x):
    return x + 1


def part(mesh, arg_shapes, result_shape):
    s = arg_shapes[0].sharding
    return mesh, lambda x: x + 1, s, (s,)


f.def_partition(  # want SHD909 "def_partition without sharding_rule raises NotImplementedErr"
    partition=part,
    infer_sharding_from_operands=lambda mesh, arg_shapes, result_shape: arg_shapes[0].sharding,
)
print(jax.jit(f)(jnp.ones((8, 2))).shape)
