"""The only mesh of the job is one of each process."""
import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


def init_mesh(axis="data"):
    n = len(jax.local_devices())
    return jax.make_mesh((n,), (axis,), devices=jax.local_devices(), axis_types=(AxisType.Auto,))  # want SHD706 "jax\.devices\(\)"


def main():
    jax.distributed.initialize(coordinator_address="localhost:1234", num_processes=1, process_id=0)
    mesh = init_mesh()
    rows = NamedSharding(mesh, P("data"))
    x = jax.device_put(np.ones((16 // jax.process_count(), 2), np.float32), rows)
    print(jax.jit(lambda v: v.mean())(x))


main()
