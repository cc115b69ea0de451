import jax
import numpy as np

from runtime import global_rows

losses = global_rows(np.ones(8, np.float32))
log_p = jax.nn.log_sigmoid(losses)
print(log_p.tolist())  # want SHD702 "tolist of log_p"
