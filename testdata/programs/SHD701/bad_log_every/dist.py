import jax

jax.distributed.initialize()
LEADER = jax.process_index() == 0
