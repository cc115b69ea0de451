import jax.sharding as shd

SPEC = shd.PartitionSpec('data', None)


def check(spec):
    return spec != shd.PartitionSpec('data')  # want SHD110 "P\('data', None\) and P\('data'\) mean the same layout but are n"


print(check(SPEC), isinstance(SPEC, (tuple, list)), shd.PartitionSpec("a") == ['a'])  # want SHD110 "isinstance\(SPEC, tuple\) is False for a PartitionSpec since J" # want SHD110 "a PartitionSpec never equals a tuple since JAX 0\.10\.0; compa"
