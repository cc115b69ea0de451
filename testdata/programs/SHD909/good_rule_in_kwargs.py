import jax
import jax.numpy as jnp
from jax.experimental.custom_partitioning import custom_partitioning, SdyShardingRule


@custom_partitioning
def negate(x):
    return -x


common = dict(
    infer_sharding_from_operands=lambda mesh, args, out: args[0].sharding,
    partition=lambda mesh, args, out: (mesh, lambda x: -x, args[0].sharding, (args[0].sharding,)),
)
negate.def_partition(**common, sharding_rule="... -> ...")
options = {**common, "sharding_rule": "i j -> i j"}
other = custom_partitioning(lambda x: x)
other.def_partition(**options)
print(jax.jit(negate)(jnp.ones((8, 2))).shape)
