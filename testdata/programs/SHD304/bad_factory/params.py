import jax


def initializer(shapes):
    @jax.jit  # want SHD304 "out_shardings"
    def init(key):
        keys = dict(zip(shapes, jax.random.split(key, len(shapes))))
        return {name: jax.random.normal(keys[name], shape) for name, shape in shapes.items()}

    return init
