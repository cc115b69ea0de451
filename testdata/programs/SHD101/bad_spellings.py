"""One axis name in as many spellings as programs have for a constant."""
import collections
import dataclasses
import enum
import functools
import itertools
import operator
import os
import types
import typing
from typing import NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
DATA, MODEL = mesh.axis_names
refused = 0


def spec(*names, **_):
    global refused
    try:
        NamedSharding(mesh, P(*names))
    except ValueError:
        refused += 1


@dataclasses.dataclass
class Base:
    kind: str = "data"
    names: tuple[str, ...] = ("data", "model")
    extra: dict = dataclasses.field(default_factory=lambda: {"seq": "seq0"})

    def __post_init__(self):
        self.derived = self.kind + "_1"

    @classmethod
    def default(cls, **kw):
        return cls(**kw)

    @staticmethod
    def tensor():
        return "tens"

    @functools.cached_property
    def joined(self):
        return "-".join(self.names)


class Derived(Base):
    kind = "override"

    def __init__(self, suffix="x"):
        super().__init__(kind=f"k{suffix}")
        self.suffix = suffix

    @property
    def axis(self):
        return self._axis if hasattr(self, "_axis") else self.suffix * 2


class Axis(str, enum.Enum):
    DATA = "data"
    EXPERT = "expert"


class Pair(NamedTuple):
    row: str = "data"
    col: str = "cols"


class Meta:
    table = {"a": "data", "b": ("model", "third")}

    def __getitem__(self, key):
        return self.table[key]

    def __call__(self, key="b"):
        return self[key][1]


def first(*names, default="dflt", **named):
    return named.get("axis", default) if not names else names[0]


def counter():
    n = 0

    def inc():
        nonlocal n
        n += 1
        return f"c{n}"

    return inc


cfg, sub, inc = Base(), Derived(), counter()
replaced = dataclasses.replace(cfg, kind="repl")
head, *tail = ["data", "model", "rest"]
ordered = collections.OrderedDict([("p", "data"), ("q", "ordq")])
frozen = types.MappingProxyType({"f": "frz"})
space = types.SimpleNamespace(axis="spc")
pick = operator.itemgetter("q")
add = functools.partial(first, default="part")
text = "data,model,split"

spec(cfg.derived)  # want SHD101 "data_1"
spec(Base.default(kind="made").kind)  # want SHD101 "made"
spec(Base.tensor())  # want SHD101 "tens"
spec(cfg.joined)  # want SHD101 "data-model"
spec(cfg.extra["seq"])  # want SHD101 "seq0"
spec(sub.kind)  # want SHD101 "kx"
spec(sub.axis)  # want SHD101 "xx"
spec(Axis.EXPERT.value)  # want SHD101 "expert"
spec(Pair().col)  # want SHD101 "cols"
spec(Pair()[1])  # want SHD101 "cols"
spec(Pair()._replace(row="rep").row)  # want SHD101 "rep"
spec(Meta()["b"][-1])  # want SHD101 "third"
spec(Meta()())  # want SHD101 "third"
spec(first())  # want SHD101 "dflt"
spec(first(axis="kwarg"))  # want SHD101 "kwarg"
spec(add())  # want SHD101 "part"
spec(inc())  # want SHD101 "c1"
spec(inc())  # want SHD101 "c2"
spec(replaced.kind)  # want SHD101 "repl"
spec(tail[-1])  # want SHD101 "rest"
spec(ordered["q"])  # want SHD101 "ordq"
spec(frozen["f"])  # want SHD101 "frz"
spec(space.axis)  # want SHD101 "spc"
spec(pick(ordered))  # want SHD101 "ordq"
spec(text.split(",")[2])  # want SHD101 "split"
spec("MODEL_X".lower())  # want SHD101 "model_x"
spec("{}_{}".format(DATA, 1))  # want SHD101 "data_1"
spec("%s-%d" % (DATA, 2))  # want SHD101 "data-2"
spec(getattr(cfg, "kind") + "!")  # want SHD101 "data!"
spec(getattr(cfg, "missing", "gone"))  # want SHD101 "gone"
spec({"x": "dx"}.get("x"))  # want SHD101 "dx"
spec({"x": "dx"}.get("y", "dy"))  # want SHD101 "dy"
spec(dict(zip(("a", "b"), ("data", "zipped")))["b"])  # want SHD101 "zipped"
spec([f"{n}{i}" for i, n in enumerate(mesh.axis_names)][1])  # want SHD101 "model1"
spec({n: n.upper() for n in mesh.axis_names}["data"])  # want SHD101 "DATA"
spec(next(iter(["it", "er"])))  # want SHD101 "it"
spec(next(n for n in ("data", "nxt") if n not in mesh.shape))  # want SHD101 "nxt"
spec(list(mesh.shape)[0] + "?")  # want SHD101 "data\?"
spec(tuple(reversed(("data", "rev")))[0])  # want SHD101 "rev"
spec(sorted({"zeta": 1, "beta": 2})[0])  # want SHD101 "beta"
spec(max(("aa", "bb")))  # want SHD101 "bb"
spec(("data", "idx")[("x", "y").index("y")])  # want SHD101 "idx"
spec([*mesh.axis_names, "star"][-1])  # want SHD101 "star"
spec({**{"k": "data"}, "k": "merged"}["k"])  # want SHD101 "merged"
spec(({"k": "data"} | {"k": "ored"})["k"])  # want SHD101 "ored"
spec("left" if len(mesh.axis_names) == 2 else DATA)  # want SHD101 "left"
spec(None or "orelse")  # want SHD101 "orelse"
spec(typing.cast(str, "casted"))  # want SHD101 "casted"
spec((walrus := "walr"))  # want SHD101 "walr"
spec((lambda a="lam": a)())  # want SHD101 "lam"
spec(functools.reduce(lambda a, b: a + b, ("da", "ta", "x")))  # want SHD101 "datax"
spec(list(itertools.chain(("data",), ("chained",)))[1])  # want SHD101 "chained"
spec(list(map(str.upper, ("m",)))[0])  # want SHD101 "M"
spec(dataclasses.asdict(cfg)["names"][0] + "+")  # want SHD101 "data\+"
spec(vars(space)["axis"])  # want SHD101 "spc"
spec(str(Axis.EXPERT.value))  # want SHD101 "expert"
spec(DATA[:2])  # want SHD101 "da"
spec(DATA.replace("ta", "tum"))  # want SHD101 "datum"
spec(DATA.removesuffix("ta"))  # want SHD101 "da"
spec("  pad ".strip())  # want SHD101 "pad"
spec(f"{DATA!s}{2:02d}")  # want SHD101 "data02"
spec(*(n for n in ("data", "gen")))  # want SHD101 "gen"
spec(*["starred"], **{})  # want SHD101 "starred"
spec(os.environ.get("AXIS", DATA))
spec(("data" if os.environ.get("X") else "model"))
print(refused)
