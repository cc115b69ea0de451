import jax
import numpy as np

from cluster import DEVICES, init

init()
acc = np.zeros(4, np.float32)
for i in range(2):
    acc += np.asarray(jax.device_put(np.ones(4, np.float32), DEVICES[0]))  # want SHD706 "local_devices"
print(acc)
