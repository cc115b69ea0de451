"""Ring attention in a partly manual region, trained; online softmax; bfloat16 inputs."""
import jax, jax.numpy as jnp, numpy as np, optax
from jax import lax, shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.asarray(jax.devices()).reshape(2, 4)
mesh = Mesh(devices, axis_names=("replica", "seq"))
N, H, K = 4, 2, 16


def ring_attention(q, k, v):
    n = lax.axis_size("seq")
    scale = q.shape[-1] ** -0.5
    perm = [(j, (j + 1) % n) for j in range(n)]

    def body(carry, _):
        acc, m, l, k, v = carry
        s = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=jnp.float32) * scale
        m2 = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - m2[..., None])
        c = jnp.exp(m - m2)
        l = l * c + p.sum(-1)
        acc = acc * c[..., None] + jnp.einsum("bhqk,bkhd->bhqd", p, v)
        k, v = lax.ppermute((k, v), "seq", perm)
        return (acc, m2, l, k, v), None

    b, s, h, d = q.shape
    zero = lambda *shape: lax.pcast(jnp.zeros(shape, jnp.float32), ("replica", "seq"), to="varying")
    init = (zero(b, h, s, d), zero(b, h, s) - 1e30, zero(b, h, s), k, v)
    (acc, m, l, _, _), _ = lax.scan(body, init, None, length=n)
    return (acc / l[..., None]).transpose(0, 2, 1, 3).astype(q.dtype)


spec = P("replica", "seq")
attend = shard_map(ring_attention, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec)


def loss(w, x):
    h = x.astype(jnp.bfloat16)
    for layer in w["layers"]:
        q, k, v = (jnp.einsum("bsd,dhk->bshk", h, layer[n].astype(jnp.bfloat16)) for n in "qkv")  # want SHD601 "'k'.*'q'.*'v'.*'seq', 'replica' .8 devices"
        h = h + jnp.einsum("bshk,hkd->bsd", attend(q, k, v), layer["o"].astype(jnp.bfloat16))  # want SHD601 "'o'.*8 devices"
    return jnp.mean(jnp.square(h.astype(jnp.float32)))


opt = optax.sgd(1e-2, momentum=0.9)


@jax.jit
def step(w, s, x):
    l, g = jax.value_and_grad(loss)(w, x)
    d, s = opt.update(g, s)
    return optax.apply_updates(w, d), s, l


rng = np.random.default_rng(0)
layer = lambda: {**{n: rng.normal(size=(32, H, K)).astype(np.float32) for n in "qkv"}, "o": rng.normal(size=(H, K, 32)).astype(np.float32)}
w = jax.device_put({"layers": [layer(), layer()]}, NamedSharding(mesh, P()))
s = jax.device_put(opt.init(w), NamedSharding(mesh, P()))
x = jax.device_put(np.ones((4, 64, 32), np.float32), NamedSharding(mesh, P("replica", "seq")))
print(step(w, s, x)[2])
