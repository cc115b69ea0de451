"""The same in other spellings."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

mesh = Mesh(np.array(jax.devices()), ("data",))
rules = (("batch", "data"), ("embed", None))


def block(x):
    return nn.with_logical_constraint(x * 2, ("batch", "embed"))


def main():
    with nn.logical_axis_rules(rules):
        with mesh:  # want SHD801 "flax\'s with_logical_constraint does not see a mesh entered "
            print(len(jax.jit(block)(jnp.ones((8, 4))).sharding.device_set))


main()
