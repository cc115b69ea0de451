"""A frozen trainer holds the axis, the loss and the optimizer; its step averages what is summed already."""
import dataclasses
from typing import Any, Callable

import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, Mesh, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class DataParallel:
    mesh: Mesh
    axis: str
    loss: Callable[..., jax.Array]
    tx: optax.GradientTransformation

    def _step(self, params, opt_state, batch):
        value, grads = jax.value_and_grad(self.loss)(params, batch)
        grads = self.average(grads)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, self.average(value)

    def average(self, tree):
        return jax.lax.pmean(tree, self.axis)  # want SHD202 "replica"

    def compile(self):
        return jax.jit(jax.shard_map(
            self._step, mesh=self.mesh, in_specs=(P(), P(), P(self.axis)), out_specs=(P(), P(), P())))


def loss(params, batch):
    x, y = batch
    return jnp.mean((x @ params["w"] - y) ** 2)


mesh = jax.make_mesh((8,), ("replica",), axis_types=(AxisType.Auto,))
tx = optax.sgd(0.1)
trainer = DataParallel(mesh=mesh, axis="replica", loss=loss, tx=tx)
params = {"w": jnp.zeros(2)}
batch = jnp.arange(32.0).reshape(16, 2) / 32, jnp.ones(16)
new, _, value = trainer.compile()(params, tx.init(params), batch)
reference = -0.1 * jax.grad(loss)(params, batch)["w"]
print("ratio", new["w"] / reference)
