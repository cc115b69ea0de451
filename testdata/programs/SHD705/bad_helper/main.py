import jax
import numpy as np

from hosts import all_hosts, rows

x = jax.make_array_from_process_local_data(rows(), np.ones((8, 2), np.float32))
print(all_hosts(x).shape)
