"""A partitioner of logical names in a library: names are logical until a mesh is there."""
from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

Rules = Mapping[str, str | Sequence[str] | None]
DEFAULT: Rules = {"batch": ("replica", "data"), "seq": None, "embed": "model", "vocab": "model", "head": "model"}


@dataclasses.dataclass
class Partitioner:
    mesh: Mesh
    rules: Rules = dataclasses.field(default_factory=lambda: dict(DEFAULT))

    def spec(self, *names: str | None) -> PartitionSpec:
        taken: set[str] = set()
        out = []
        for n in names:
            axes = self.rules.get(n) if n else None
            axes = (axes,) if isinstance(axes, str) else tuple(axes or ())
            axes = tuple(a for a in axes if a in self.mesh.axis_names and a not in taken)
            taken.update(axes)
            out.append(axes[0] if len(axes) == 1 else axes or None)
        while out and out[-1] is None:
            out.pop()
        return PartitionSpec(*out)

    def constrain(self, x, *names):
        spec = self.spec(*names)
        sizes = self.mesh.shape
        entries = []
        for d, e in zip(x.shape, tuple(spec) + (None,) * (x.ndim - len(spec))):
            group = e if isinstance(e, tuple) else (e,) if e else ()
            total = 1
            for a in group:
                total *= sizes[a]
            entries.append(e if d % total == 0 else None)
        return jax.lax.with_sharding_constraint(x, NamedSharding(self.mesh, PartitionSpec(*entries)))


part = Partitioner(jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2))


@jax.jit
def f(x, table):
    x = part.constrain(x, "batch", "seq", "embed")
    t = part.constrain(table, "vocab", "embed")
    return part.constrain(jnp.einsum("bse,ve->bsv", x, t), "batch", None, "vocab"), part.constrain(x[:3, 0], "batch", "embed")


print(f(jnp.ones((8, 4, 6)), jnp.ones((7, 6))))
