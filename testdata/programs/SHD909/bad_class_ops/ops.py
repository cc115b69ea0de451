import jax
from jax.experimental import custom_partitioning as cpart


def _double(x):
    return x * 2


def register(fn, op):
    op.def_partition(  # want SHD909 "sharding_rule"
        partition=lambda mesh, args, out: (mesh, fn, args[0].sharding, (args[0].sharding,)),
        infer_sharding_from_operands=lambda mesh, args, out: args[0].sharding)
    return op


class Kernels:
    double = staticmethod(register(_double, cpart.custom_partitioning(_double)))
