"""Tests that a call raises, and transfers whose result is only waited for."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))


def test_uneven_raises():
    try:
        jax.device_put(np.ones(7), rows)
    except ValueError as e:
        assert "divi" in str(e)


def test_with_raises(raises):
    with raises(ValueError):
        jax.device_put(np.ones(7), rows)


class Raises:
    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        return issubclass(kind, self.kind)


test_uneven_raises()
test_with_raises(Raises)
jax.block_until_ready(jax.device_put(np.ones(8), rows))
