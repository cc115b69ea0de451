try:
    from jax.sharding import NamedSharding, PartitionSpec as P
except ImportError:
    from jax.experimental.sharding import NamedSharding, PartitionSpec as P
