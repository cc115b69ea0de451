"""The same in other spellings."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P, auto_axes, reshard

mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))
jax.set_mesh(mesh)


def f(a, b, c, scale=1.0):
    return jnp.sort(a + b + c, axis=0) * scale


g = auto_axes(f, out_sharding=P("x"))
s = reshard(jnp.arange(16.0), P("x"))
print(g(s, c=s, b=s).sharding.spec, g(a=s, b=s, c=s, scale=2.0).sharding.spec)  # want SHD316 "auto_axes leaves keyword arguments on Explicit axes, so the"  # want SHD316 "auto_axes leaves keyword arguments on Explicit axes, so the"  # want SHD316 "auto_axes leaves keyword arguments on Explicit axes, so the"  # want SHD316 "auto_axes leaves keyword arguments on Explicit axes, so the"  # want SHD316 "auto_axes leaves keyword arguments on Explicit axes, so the"
print(
    g(
        s,
        b=s,  # want SHD316 "auto_axes leaves keyword arguments on Explicit axes, so the"
        c=s,  # want SHD316 "auto_axes leaves keyword arguments on Explicit axes, so the"
    ).sharding.spec
)
