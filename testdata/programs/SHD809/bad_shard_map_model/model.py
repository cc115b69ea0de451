import flax.linen as nn


class Net(nn.Module):
    features: int = 8

    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Dense(self.features)(x)
        x = nn.BatchNorm(use_running_average=not train)(x)  # want SHD809 "axis_name"
        return nn.relu(x)
