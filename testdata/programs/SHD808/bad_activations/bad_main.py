import jax
import numpy as np

from memory import offload, rows

x = jax.device_put(np.ones((8, 4), np.float32), rows)
saved = offload(x)
print((saved + x).sum())  # want SHD808 "saved.*pinned_host"
