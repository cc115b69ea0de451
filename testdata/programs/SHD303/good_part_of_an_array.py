"""What is donated is made by indexing an array, or by transposing it: a new array each time, not the one it was taken from."""
import functools

import jax
import jax.numpy as jnp


class Projector:
    @staticmethod
    def project(image, angles, shape):
        views = jnp.zeros((len(angles),) + shape, dtype=image.dtype)
        for i, angle in enumerate(angles):
            for start in range(0, 8, 4):
                views = views.at[i].set(Projector.add(image[start:start + 4].sum(0), views[i], angle=angle))
        return views

    @staticmethod
    @functools.partial(jax.jit, donate_argnames="view")
    def add(image, view, angle):
        return view + image * jnp.cos(angle)


add = jax.jit(lambda a, b: a + b, donate_argnums=0)


def both(grid, x):
    first = add(grid[0], x)
    second = add(grid[0], x)
    turned = [add(grid.T, 1.0) for _ in range(2)]
    return first, second, turned, grid[0] + grid.T[0]


print(Projector.project(jnp.ones((8, 4, 4)), [0.0, 0.5], (4, 4)).sum(), both(jnp.ones((4, 4)), jnp.ones(4))[3])
