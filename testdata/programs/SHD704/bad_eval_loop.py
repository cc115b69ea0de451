import jax
import jax.numpy as jnp
import numpy as np
from functools import partial
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

if jax.process_count() > 1:
    print("several hosts")
mesh = Mesh(np.array(jax.devices()), ("data",))
LAYOUT = {"x": NamedSharding(mesh, P("data")), "y": NamedSharding(mesh, P("data"))}


@partial(jax.jit, in_shardings=(None, LAYOUT))
def evaluate(w, batch):
    return jnp.mean((batch["x"] @ w - batch["y"]) ** 2)


def dataset(n):
    rng = np.random.default_rng(0)
    for _ in range(n):
        yield dict(x=rng.standard_normal((16, 4)), y=np.zeros((16, 2)))


w = jnp.ones((4, 2))
for batch in dataset(2):
    batch = {"x": np.ones((16, 4)), "y": np.zeros((16, 2))}
    print(evaluate(w, batch))  # want SHD704 "batch"
