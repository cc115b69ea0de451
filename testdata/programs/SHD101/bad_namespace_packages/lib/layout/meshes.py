import jax

mesh = jax.make_mesh((1,), ("data",))
