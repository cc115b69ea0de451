# shardls: file-ignore[SHD9] not about releases
import jax  # noqa: F401, SHD101,E501 kept for the example

# shardls: ignore[SHD601, shd5] gradients are small
# and this line says more
y = psum(
    x,  # shardls: ignore[SHD201]
    # shardls: ignore[SHD202] alone inside brackets
    "data",
)  # shardls: ignore[SHD203]
z = 1  # type: ignore # shardls: ignore[SHD301] why # pylint: disable=all
# shardls: ignore[SHD302]

w = 2


# shardls: ignore[SHD303]
@partial(
    jax.jit,
)  # shardls: ignore[SHD304]
def f(
    a,
    b=1,  # shardls: ignore[SHD305]
):  # shardls: ignore[SHD306]
    # shardls: ignore[SHD307]
    if a:  # shardls: ignore[SHD308]
        return b
    # shardls: ignore[SHD309]
    elif (b and
          a):  # shardls: ignore[SHD310]
        pass; b = 3  # shardls: ignore[SHD311]
    else:  # shardls: ignore[SHD312]
        return """
        # shardls: ignore[SHD313]
        """  # shardls: ignore[SHD314]
    with (
        a as c,
        # shardls: ignore[SHD315]
        b as d,
    ):
        pass


if x: y = 1  # shardls: ignore[SHD316]
# shardls: ignore
# shardls: ignore[]
# shardls: ignore[SHD317
#shardls:ignore[SHD318]
v = 1  # NOQA:SHD1 SHD2
u = 1  # noqa
t = 1  # noqa: E501
s = 1  # not shardls: ignore[SHD1]
# shardls: ignore[SHD319]
