"""The mesh comes from flags; the model constrains its activations through it."""
import argparse

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def parse(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=int, default=4)
    parser.add_argument("--model", type=int, default=2)
    return parser.parse_args(argv)


class Runtime:
    def __init__(self, args):
        axes = {"data": args.data, "model": args.model}
        self.mesh = jax.make_mesh(tuple(axes.values()), tuple(axes))  # want SHD903 "axis_types"

    def constrain(self, x, *names):
        return jax.lax.with_sharding_constraint(x, NamedSharding(self.mesh, P(*names)))


runtime = Runtime(parse([]))


@jax.jit
def mlp(x, w):
    return runtime.constrain(jnp.tanh(x @ w), "data", "model")


print(mlp(jnp.ones((8, 4)), jnp.ones((4, 8))).shape)
