"""A test that asserts the error: what is wrong in its block is wrong on purpose."""
import unittest

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("a", "b"), axis_types=(AxisType.Auto,) * 2)


class SpecTest(unittest.TestCase):
    def test_errors(self):
        mapped = jax.shard_map(lambda x: x.sum(), mesh=mesh, in_specs=P("a"), out_specs=P())

        @jax.jit
        def constrained(x):
            return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("model")))

        with self.assertRaisesRegex(ValueError, "zzz"):
            NamedSharding(mesh, P("zzz"))
        with self.assertRaises(ValueError):
            jax.device_put(jnp.ones(3), NamedSharding(mesh, P("a")))
        with self.assertRaises(ValueError):
            constrained(jnp.ones(8))
        with self.assertRaises(ValueError):
            mapped(jnp.ones(8))


unittest.main(argv=["test"], exit=False)
