import jax
from jax import lax
from jax.lax import all_to_all, psum_scatter as scatter

LAST = -1


def f(x, dim=LAST):
    y = scatter(x, "i", scatter_dimension=dim, tiled=True)  # want SHD221 "scatter_dimension=-1"
    y = all_to_all(y, "i", 0, concat_axis=-2)  # want SHD221 "concat_axis"
    return lax.all_gather(lax.pswapaxes(y, "i", 0), "i", axis=-1)


jax.pmap(f, axis_name="i")
