import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Server:
    def __init__(self):
        self.mesh = Mesh(np.array(jax.devices()), ("req",))
        spec = NamedSharding(self.mesh, P("req", None))
        self.forward = jax.jit(self._forward, in_shardings=(spec,), out_shardings=spec)
        self.rank = jax.process_index()

    @staticmethod
    def _forward(tokens):
        return jnp.tanh(tokens.astype(jnp.float32))

    def serve(self, requests):
        padded = np.stack([np.pad(r, (0, 8 - len(r))) for r in requests])
        return self.forward(padded)  # want SHD704 "padded"


print(Server().serve([np.arange(3) for _ in range(8)]).shape)
