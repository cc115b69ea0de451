"""The axis of the layers has a name; a map over plain parameters, and one that shares parameters, need none."""
import flax.linen as nn
import jax
import numpy as np

METADATA = {nn.PARTITION_NAME: "layers"}
boxed = nn.with_partitioning(nn.initializers.ones_init(), (None, "model"))


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x, _):
        return nn.Dense(8, kernel_init=boxed, use_bias=False)(x), None


class Shared(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(8, kernel_init=boxed, use_bias=False)(x)


def stacked(cls, length, **options):
    return nn.scan(cls, variable_axes={"params": 0}, split_rngs={"params": True}, length=length, metadata_params=METADATA, **options)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x, _ = stacked(Layer, 3)()(x, None)
        return nn.vmap(Shared, variable_axes={"params": None}, split_rngs={"params": False})()(x)


abstract = jax.eval_shape(Net().init, jax.random.key(0), np.ones((2, 8), np.float32))
print(nn.get_partition_spec(abstract)["params"]["ScanLayer_0"]["Dense_0"]["kernel"])
