"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils as mu
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize("localhost:12799", 1, 0)
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
eval_step = jax.jit(lambda x: (x * x).sum())


def train(n):
    x = jax.make_array_from_process_local_data(rows, np.ones((8, 2), np.float32))
    for step in range(n):
        x = x + 1
        if step % 2 == 0 and jax.process_index() == 0:
            loss = eval_step(x)  # want SHD701 "eval_step needs every process"
            print(step, float(loss))
        if jax.process_index() == 0:
            mu.sync_global_devices("log")  # want SHD701 "sync_global_devices needs every process, but only those tha"
        if jax.process_index() != 0:
            continue
        print(float(jnp.mean(x)))  # want SHD701 "jnp.mean needs every process"
        y = jnp.arange(4.0) * 2  # on this process alone
        if jax.process_index() == 0:
            y = y + 1
            print(y.sum())


train(3)
