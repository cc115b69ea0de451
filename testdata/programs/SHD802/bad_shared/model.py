from functools import partial

import flax.linen as nn

dense_init = partial(nn.with_logical_partitioning, nn.initializers.lecun_normal())


class Projection(nn.Module):
    @nn.compact
    def __call__(self, x):
        q = nn.Dense(8, use_bias=False, kernel_init=dense_init(("embed", "heads")), name="q")(x)
        k = nn.Dense(8, use_bias=False, kernel_init=dense_init(("embed", "head_dim")), name="k")(x)  # want SHD802 "head_dim"
        return q + k
