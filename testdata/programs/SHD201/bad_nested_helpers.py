"""The axis arrives through a configuration, and the function was moved from pmap to jit."""
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import optax


@dataclass(frozen=True)
class Config:
    axis: str = "devices"
    lr: float = 0.1


def cross_replica_mean(tree, axis_name):
    return jax.tree.map(lambda t: jax.lax.pmean(t, axis_name), tree)  # want SHD201 "devices"


class Learner:
    def __init__(self, cfg=Config()):
        self.cfg = cfg
        self.tx = optax.sgd(cfg.lr)

    def loss(self, params, x):
        return jnp.mean((x @ params["w"]) ** 2)

    @partial(jax.jit, static_argnums=0)
    def update(self, params, opt, x):
        grads = jax.grad(self.loss)(params, x)
        grads = cross_replica_mean(grads, self.cfg.axis)
        updates, opt = self.tx.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt


learner = Learner()
params = {"w": jnp.ones((4,))}
print(learner.update(params, learner.tx.init(params), jnp.ones((8, 4))))
