import jax

AXES = ("data", "fsdp", "tensor")


def build(parallelism):
    dcn = parallelism.dcn_shape
    shape = tuple(d * i for d, i in zip(dcn, parallelism.ici_shape))
    return jax.make_mesh(shape, AXES)  # want SHD109 "create_hybrid_device_mesh"
