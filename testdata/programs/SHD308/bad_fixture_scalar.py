"""pytest-like: the step counter was committed to device 0 by restoring it there."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def make_state(mesh):
    step = jax.device_put(np.int32(3), jax.local_devices()[0])
    w = jax.device_put(np.ones((16, 2), np.float32), NamedSharding(mesh, P("x")))
    return {"w": w, "step": step}


@jax.jit
def advance(state):
    return {"w": state["w"] * 0.9, "step": state["step"] + 1}


def test_advance():
    state = make_state(Mesh(np.array(jax.devices()), ("x",)))
    state = advance(state)  # want SHD308 "step"
    assert int(state["step"]) == 4


test_advance()
