"""A tied embedding whose vocabulary comes from a tokenizer config; the table is constrained while it is made."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class EmbedConfig:
    vocab_size: int = 32001
    hidden: int = 64
    tp: int = 8

    @property
    def table_shape(self):
        return (self.vocab_size, self.hidden)


@dataclasses.dataclass
class Layouts:
    mesh: Mesh
    table: P = dataclasses.field(default_factory=lambda: P("tp", None))

    def constrain(self, x, name):
        return jax.lax.with_sharding_constraint(x, NamedSharding(self.mesh, getattr(self, name)))  # want SHD105 "32001.*8"


def build(config: EmbedConfig):
    layouts = Layouts(Mesh(mesh_utils.create_device_mesh((config.tp,)), ("tp",)))

    @functools.partial(jax.jit, static_argnames=("dtype",))
    def init(key, dtype=jnp.float32):
        scale = config.hidden ** -0.5
        table = scale * jax.random.truncated_normal(key, -2.0, 2.0, config.table_shape, dtype)
        table = layouts.constrain(table, "table")
        return {"embedder": {"input_embedding": table}}

    return init


params = build(EmbedConfig())(jax.random.key(0))
print(params["embedder"]["input_embedding"].sharding.is_fully_replicated)
