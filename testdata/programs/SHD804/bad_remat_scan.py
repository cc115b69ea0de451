"""Layers under remat and scan, with a Dense that carries partitioned kernels."""
import functools

import flax.linen as nn
import jax
import numpy as np

kernel_init = nn.with_partitioning(nn.initializers.lecun_normal(), (None, "model"))


class Block(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, deterministic):
        h = nn.Dense(4 * self.width, kernel_init=kernel_init)(nn.LayerNorm()(x))
        return x + nn.Dense(self.width)(nn.gelu(h)), None


class Transformer(nn.Module):
    layers: int = 2
    width: int = 8

    @nn.compact
    def __call__(self, x):
        block = nn.remat(Block, prevent_cse=False)
        stack = nn.scan(  # want SHD804 "PARTITION_NAME"
            block,
            variable_axes={"params": 0},
            split_rngs={"params": True},
            in_axes=nn.broadcast,
            length=self.layers,
        )
        x, _ = stack(self.width, name="layers")(x, True)
        return x


abstract = jax.eval_shape(Transformer().init, jax.random.key(0), np.ones((2, 8), np.float32))
print(jax.tree.map(lambda s: s.shape, abstract))
