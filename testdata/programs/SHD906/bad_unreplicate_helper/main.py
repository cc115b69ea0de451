import jax
import numpy as np

from training import train_step
from utils import unreplicate

state = {"w": np.ones((8, 4), np.float32), "step": np.zeros((8,), np.int32)}
state, metrics = train_step(state, np.ones((8, 16, 4), np.float32))
print(unreplicate(metrics)["loss"], unreplicate(state)["step"])
