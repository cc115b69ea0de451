import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("ep",), axis_types=(AxisType.Auto,))

@jax.jit
def moe(x, gate, up, down):
    weights = jax.nn.softmax(x @ gate)
    @partial(jax.shard_map, mesh=mesh, in_specs=(P("ep"), P("ep"), P("ep"), P("ep")), out_specs=P("ep"))
    def experts(x, w, up, down):
        send = jnp.einsum("td,te->etd", x, w)
        mine = jax.lax.all_to_all(send, "ep", 0, 0, tiled=False)
        h = jax.nn.relu(mine.reshape(-1, x.shape[1]) @ up[0]) @ down[0]
        back = jax.lax.all_to_all(h.reshape(mine.shape), "ep", 0, 0)
        return back.sum(0)
    return experts(x, weights, up, down)

x = jax.device_put(np.ones((512, 64), np.float32), NamedSharding(mesh, P("ep")))
gate = jax.device_put(np.ones((64, 8), np.float32), NamedSharding(mesh, P()))
up = jax.device_put(np.ones((8, 64, 128), np.float32), NamedSharding(mesh, P("ep")))
down = jax.device_put(np.ones((8, 128, 64), np.float32), NamedSharding(mesh, P("ep")))
jax.block_until_ready(moe(x, gate, up, down))
