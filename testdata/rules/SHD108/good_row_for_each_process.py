"""Rows are processes: which device is in which row matters, so the order of the ids is kept on purpose."""
import jax
import numpy as np
from jax.sharding import Mesh

devices = np.array(jax.devices()).reshape(jax.process_count(), jax.local_device_count())
by_process = Mesh(devices, ("process", "device"))
rest = Mesh(np.array(jax.devices()).reshape((jax.process_count(), -1)), ("process", "device"))
