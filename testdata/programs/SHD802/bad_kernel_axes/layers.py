import flax.linen as nn
import jax.numpy as jnp


class Dense(nn.Module):
    features: int
    kernel_axes: tuple = ()

    @nn.compact
    def __call__(self, x):
        kernel = self.param("kernel", nn.with_logical_partitioning(nn.initializers.ones, self.kernel_axes), (x.shape[-1], self.features))
        bias = self.param("bias", nn.with_logical_partitioning(nn.initializers.zeros, ("features",)), (self.features,))  # want SHD802 "features"
        return x @ kernel + bias
