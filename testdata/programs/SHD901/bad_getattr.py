"""getattr with the name of what was removed; a default makes it a question."""
import jax

make = getattr(jax.sharding, "PositionalSharding")  # want SHD901 "PositionalSharding"
asked = getattr(jax.sharding, "PositionalSharding", None)
print(make(jax.devices()), asked)
