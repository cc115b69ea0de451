import os.path, sys as system  # os@1 system@1
from a import b, c as d  # b@2 d@2
x = y = 1
def f(a, b=x, *args: x, k: "x" = y, **kw):  # f@4 a@4 b@4 x@3 args@4 x@3 k@4 y@3 kw@4
    z = a + b  # z@5 a@4 b@4
    def g():  # g@6
        nonlocal z  # z@5
        global x, new  # x@3 new@9
        new = 1  # new@9
        z += x  # z@5 x@3
        return z  # z@5
    return g  # g@6
class C(object, metaclass=f):  # C@13 object@? f@4
    x = x  # x@14 x@14
    y = [x for x in x if y]  # y@15 x@15 x@15 x@14 y@3
    def m(self):  # m@16 self@16
        return x, C  # x@3 C@13
    w = lambda q, r=y: q + r + y  # w@18 q@18 r@18 y@15 q@18 r@18 y@3
print((t := 5), [last := v for v in args])  # print@? t@19 last@19 v@19 v@19 args@?
last  # last@19
try:
    pass
except ValueError as e:  # ValueError@? e@23
    e  # e@23
with open(x) as (h, i.j), k as l[m]:  # open@? x@3 h@25 i@? k@? l@? m@?
    pass
for o, (p, *q) in x:  # o@27 p@27 q@27 x@3
    pass
match x:  # x@3
    case [1, *rest, s.t] if rest:  # rest@30 s@? rest@30
        pass
    case {"k": v, **others} | P(u, n=w.z) as whole:  # v@32 others@32 P@? u@32 w@? whole@32
        pass
    case only:  # only@34
        pass
del x, f.a  # x@3 f@4
async def gen[T: int, *Ts, **P](v: T) -> T:  # gen@37 T@37 int@? Ts@37 P@37 v@37 T@37 T@37
    return [T async for T in v]  # T@38 T@38 v@37
type Alias[K] = dict[K, K]  # Alias@39 K@39 dict@? K@39 K@39
later  # later@42
f"{x!r:>{y}} {d}"  # x@3 y@3 d@2
later: int  # later@42 int@?
