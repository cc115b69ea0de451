from jax.sharding import PartitionSpec

RULES = {"replica": 2, "seq": 4}
SPECS = dict(positions=PartitionSpec("seq", None), features=PartitionSpec(None, "replica"))
