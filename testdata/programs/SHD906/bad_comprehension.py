import jax
import jax.numpy as jnp
import numpy as np

REPLICA = 0
metrics_fn = jax.pmap(lambda x: {"mean": x.mean(), "std": x.std()})
history = []
for step in range(2):
    out = metrics_fn(np.ones((8, 4), np.float32) * step)
    history.append({k: float(v[REPLICA]) for k, v in out.items()})  # want SHD906 "v\["
print(history)
