"""The mesh is entered by a decorator, by hand, through a condition, in a coroutine and where an error is told and raised again."""
import asyncio
import contextlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
step = jax.jit(lambda x: jax.lax.with_sharding_constraint(x * 2, P("data")))


@mesh  # want SHD905 "set_mesh\(mesh\)"
def decorated(x):
    return step(x)


def chosen(x, parallel=True):
    with mesh if parallel else contextlib.nullcontext():  # want SHD905 @"mesh"
        return step(x)


async def served(x):
    try:
        with contextlib.suppress(ValueError), mesh:  # want SHD905 "set_mesh\(mesh\)"
            return step(x)
    finally:
        print("done")


def reported(x):
    try:
        with mesh:  # want SHD905 "set_mesh\(mesh\)"
            return step(x)
    except Exception as error:
        print("failed", error)
        raise


print(decorated(jnp.ones(8)), chosen(jnp.ones(8)), asyncio.run(served(jnp.ones(8))), reported(jnp.ones(8)))
mesh.__enter__()  # want SHD905 @"mesh"
print(step(jnp.ones(8)))
