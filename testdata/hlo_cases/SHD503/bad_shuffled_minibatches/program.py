"""Actor and critic with two optimizers, epochs of shuffled minibatches in nested scans."""
import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(jax.devices(), ("env",))
pi_tx, v_tx = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-4)), optax.adam(1e-3)


def mlp(p, x):
    return jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]


def pi_loss(p, b):
    logp = jnp.take_along_axis(jax.nn.log_softmax(mlp(p, b["obs"])), b["act"][:, None], 1)[:, 0]
    ratio = jnp.exp(logp - b["logp"])
    return -jnp.minimum(ratio * b["adv"], jnp.clip(ratio, 0.8, 1.2) * b["adv"]).mean()


def v_loss(p, b):
    return jnp.square(mlp(p, b["obs"])[:, 0] - b["ret"]).mean()


@jax.jit
def learn(carry, batch, key):
    def epoch(carry, key):
        order = jax.random.permutation(key, batch["obs"].shape[0])
        shuffled = jax.tree.map(lambda a: a[order].reshape(4, -1, *a.shape[1:]), batch)  # want SHD503 "'obs'.*48.0 KiB.*shuffle"

        def minibatch(c, b):
            pi, v, ps, vs = c
            g = jax.grad(pi_loss)(pi, b)
            u, ps = pi_tx.update(g, ps)
            pi = optax.apply_updates(pi, u)
            u, vs = v_tx.update(jax.grad(v_loss)(v, b), vs)
            return (pi, optax.apply_updates(v, u), ps, vs), None

        return jax.lax.scan(minibatch, carry, shuffled)[0], None

    return jax.lax.scan(epoch, carry, jax.random.split(key, 3))[0]


rng = np.random.default_rng(0)
net = lambda out: {"w1": jnp.asarray(rng.normal(size=(16, 64)), jnp.float32), "b1": jnp.zeros(64), "w2": jnp.asarray(rng.normal(size=(64, out)), jnp.float32), "b2": jnp.zeros(out)}
pi, v = net(6), net(1)
rep, sh = NamedSharding(mesh, P()), NamedSharding(mesh, P("env"))
carry = jax.device_put((pi, v, pi_tx.init(pi), v_tx.init(v)), rep)
batch = jax.device_put({"obs": np.ones((256, 16), np.float32), "act": np.zeros(256, np.int32), "logp": np.zeros(256, np.float32), "adv": np.ones(256, np.float32), "ret": np.ones(256, np.float32)}, sh)
carry = learn(carry, batch, jax.random.key(0))
