import jax
import numpy as np

from layout import place
from optim import make

params = place({"w": np.ones((64, 64), np.float32), "b": np.zeros((64,), np.float32)})
tx, init = make(1e-3)
opt_state = init(params)
print(len(opt_state[0].mu["w"].sharding.device_set))
