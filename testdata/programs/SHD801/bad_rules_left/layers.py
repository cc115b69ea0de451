import flax.linen as nn
from flax.linen import with_logical_constraint as constrain

ACTIVATION = ("batch", "mlp")


class Mlp(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        h = nn.gelu(nn.Dense(self.hidden)(x))
        h = constrain(h, ACTIVATION)  # want SHD801 "rules"
        return nn.Dense(x.shape[-1])(h)
