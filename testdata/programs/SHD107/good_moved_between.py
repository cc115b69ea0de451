"""Actors run on reversed devices; what they made is copied to the learner's mesh before it is used."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
learner = Mesh(devices, ("batch",))
actor = Mesh(devices[::-1], ("env",))
params = jax.device_put(jnp.ones((3, 2)), NamedSharding(learner, P()))


@jax.jit
def act(policy, obs):
    return jnp.tanh(obs @ policy)


@jax.jit
def learn(policy, obs, actions):
    return policy - 0.1 * obs.T @ actions


policy = jax.device_put(params, NamedSharding(actor, P()))
obs = jax.device_put(jnp.ones((8, 3)), NamedSharding(actor, P("env")))
actions = act(policy, obs)
obs, actions = jax.device_put((obs, actions), NamedSharding(learner, P("batch")))
print(learn(params, obs, actions).shape)
