import jax
import jax.numpy as jnp

from sync import Metrics

m = Metrics()
m.update(jnp.float32(2.0))
print(m.compute(), jax.process_count())
