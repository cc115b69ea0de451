import jax.experimental.custom_partitioning as cp


def _same(mesh, args, result):
    return args[0].sharding


def _lower(mesh, args, result):
    return mesh, lambda x: x * 2, args[0].sharding, (args[0].sharding,)


@cp.custom_partitioning
def scale(x):
    return x * 2


scale.def_partition(_lower, infer_sharding_from_operands=_same)  # want SHD909 "sharding_rule"
