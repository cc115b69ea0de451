"""A trainer with a dataclass configuration; the step is a method that closes over the loss."""
from dataclasses import dataclass, field
from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, PartitionSpec as P


@dataclass(frozen=True)
class MeshConfig:
    shape: tuple = (8,)
    names: tuple = ("replica",)

    def build(self):
        return jax.make_mesh(self.shape, self.names, axis_types=(AxisType.Auto,) * len(self.names))


@dataclass
class TrainConfig:
    mesh: MeshConfig = field(default_factory=MeshConfig)
    lr: float = 1e-2
    hidden: int = 16

    @property
    def data_axis(self):
        return self.mesh.names[0]


class Trainer:
    def __init__(self, cfg: TrainConfig):
        self.cfg = cfg
        self.mesh = cfg.mesh.build()
        self.tx = optax.adam(cfg.lr)
        spec = P(cfg.data_axis)
        self.step = jax.jit(
            jax.shard_map(self._step, mesh=self.mesh, in_specs=(P(), P(), spec), out_specs=(P(), P(), P()))
        )

    def init(self, key):
        k1, k2 = jax.random.split(key)
        params = {
            "up": jax.random.normal(k1, (4, self.cfg.hidden)),
            "down": jax.random.normal(k2, (self.cfg.hidden, 1)),
        }
        return params, self.tx.init(params)

    def _step(self, params, opt_state, batch):
        def loss_fn(p):
            hidden = jax.nn.gelu(batch["x"] @ p["up"])
            return jnp.mean((hidden @ p["down"] - batch["y"]) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        loss, grads = jax.lax.pmean((loss, grads), self.cfg.data_axis)  # want SHD202 "replica"
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss


trainer = Trainer(TrainConfig())
params, opt_state = trainer.init(jax.random.key(0))
batch = {"x": jnp.ones((16, 4)), "y": jnp.zeros((16, 1))}
for _ in range(2):
    params, opt_state, loss = trainer.step(params, opt_state, batch)
print(loss)
