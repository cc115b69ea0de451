import jax
import numpy as np

from loop import evaluate

print(jax.process_count(), evaluate({"x": np.ones((16, 4), np.float32), "y": np.zeros(16, np.float32)}))
