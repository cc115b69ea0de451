import jax
import jax.numpy as jnp
import numpy as np

from trainer import Trainer

n = jax.local_device_count()
trainer = Trainer()
state = jax.tree.map(lambda p: jnp.stack([p] * n), trainer.init())
x = np.arange(n * 8, dtype=np.float32).reshape(n, 2, 4)
state, value = trainer.train_step(state, x)
print(np.asarray(state["w"])[:, 0])
