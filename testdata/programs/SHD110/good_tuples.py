import jax
from jax.sharding import PartitionSpec as P

spec = P("data", None)
print(tuple(spec) == ("data", None), isinstance(spec, P), len(spec), spec[0], spec[:1], [*spec])
for entry in spec:
    if isinstance(entry, tuple):
        print("merged", entry)


def flat_axes(spec):
    out = []
    for e in spec:
        out.extend(e if isinstance(e, tuple) else (e,))
    return out


print(flat_axes(P(("a", "b"), "c")), P("a") == P("a"), isinstance(spec, (tuple, P)))
print(spec == P(*("data", None)), hash(spec))
