"""Small training steps, each of which makes it look as if some parameters were not reduced, or were reduced twice.

Compiles every program for eight simulated CPU devices and stores the module just after the partitioner and the final
one, with what follows from how the program is written: the status of each parameter's gradient and, where it is
reduced, how many reductions of which type over which axes one step makes of it.

    python make.py [--tpu|--gpu] [NAME...]

JAX 0.10.2 with optax; needs the zstandard module. With --tpu the programs are compiled ahead of time for a TPU v5e of
2 x 4 chips instead (libtpu 0.0.42.1), with --gpu for eight H100 (the CUDA plugin 0.10.2); no accelerator is needed and
nothing runs. Their dumps are stored beside the others, and so are those of other JAX releases, of which some are kept. Where it matters what a program returns or what it was before partitioning, the
module as JAX made it is stored too, which is the same for all targets, and the proto of the one just after the partitioner.
"""
import glob
import json
import os
import re
import sys
import tempfile

TARGET = "tpu" if "--tpu" in sys.argv else "gpu" if "--gpu" in sys.argv else "cpu"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v5litepod-8", TPU_WORKER_HOSTNAMES="localhost",
                  ALLOW_MULTIPLE_LIBTPU_LOAD="1")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
import optax
import zstandard
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

HERE = os.path.dirname(os.path.abspath(__file__))
jax.config.update("jax_hlo_source_file_canonicalization_regex", "^" + re.escape(HERE + os.sep))
SHOWN = "/home/user/proj/mechanisms.py"  # the path in all frames
ROWS, WIDTH = 64, 32
PROGRAMS = {}


class Program:
    """A step and its arguments: name -> (shape, PartitionSpec), or a tree of those."""

    def __init__(self, make, args, expect, mesh, donate, before):
        self.make, self.args, self.expect, self.mesh, self.donate, self.before = make, args, expect, mesh, donate, before


def program(expect, mesh=None, donate=(0,), before=False, **args):
    def add(make):
        PROGRAMS[make.__name__] = Program(make, args, expect, mesh or {"data": 8}, donate, before)
        return make
    return add


def reduced(*dtypes, axes=("data",), **more):
    return dict(status="reduced", dtypes=list(dtypes), axes=list(axes), **more)


def plain(status, **more):
    return dict(status=status, **more)


def weights(**shapes):
    return {name: (shape, P()) for name, shape in shapes.items()}


X = ((ROWS, WIDTH), P("data"))
SQUARE = (WIDTH, WIDTH)


def error(prediction, wanted):
    return jnp.mean(jnp.square(prediction.astype(jnp.float32) - wanted))


def descend(tree, grads):
    return jax.tree.map(lambda w, g: w - 0.01 * g, tree, grads)


def trained_by(loss):
    """The step of plain gradient descent on a loss."""
    def step(p, x, y):
        return descend(p, jax.grad(loss)(p, x, y))
    return step


@program({"p['out']": reduced("f32", executions=1), "p['w']": reduced("f32", executions=5, in_loop=True)},
         p=weights(w=(5,) + SQUARE, out=SQUARE), x=X, y=X)
def scan_over_layers(mesh):
    def loss(p, x, y):
        def layer(h, w):
            return jnp.tanh(h @ w), None
        h, _ = lax.scan(layer, x, p["w"])
        return error(h @ p["out"], y)
    return trained_by(loss)


@program({"p['first']": reduced("f32", executions=1), "p['shared']": reduced("f32", executions=5, in_loop=True)},
         p=weights(shared=SQUARE, first=SQUARE), x=X, y=X)
def shared_weight_in_scan(mesh):
    def loss(p, x, y):
        def again(h, _):
            return jnp.tanh(h @ p["shared"]), None
        h, _ = lax.scan(again, x @ p["first"], None, length=5)
        return error(h, y)
    return trained_by(loss)


@program({"p['frozen']": plain("not-trained"), "p['head']": reduced("f32"), "p['w']": reduced("f32")},
         p=weights(w=SQUARE, frozen=(WIDTH, 48), head=(48, WIDTH)), x=X, y=X)
def frozen_layer(mesh):
    def loss(p, x, y):
        h = jnp.tanh(x @ p["w"]) @ lax.stop_gradient(p["frozen"])
        return error(h @ p["head"], y)
    return trained_by(loss)


@program({"state['p']['unused']": plain("not-needed"), "state['p']['w']": reduced("f32")},
         state={"p": weights(w=SQUARE, unused=(WIDTH, 48)), "m": weights(w=SQUARE, unused=(WIDTH, 48)), "step": ((), P())}, x=X, y=X)
def step_counted_in_a_float(mesh):
    def step(state, x, y):
        grads = jax.grad(lambda p: error(x @ p["w"], y))(state["p"])
        m = jax.tree.map(lambda m, g: 0.9 * m + g, state["m"], grads)
        p = jax.tree.map(lambda w, m: w - 0.01 * m / (1 - 0.9 ** (state["step"] + 1)), state["p"], m)
        return {"p": p, "m": m, "step": state["step"] + 1}
    return step


@program({"p['unused']": plain("not-trained"), "p['w']": reduced("f32")},
         p=weights(w=SQUARE, unused=(WIDTH, 48)), x=X, y=X)
def unused_parameter(mesh):
    return trained_by(lambda p, x, y: error(x @ p["w"], y))


@program({"p['penalised']": plain("not-needed"), "p['w']": reduced("f32")},
         p=weights(w=SQUARE, penalised=(WIDTH, 48)), x=X, y=X)
def regularised_only(mesh):
    return trained_by(lambda p, x, y: error(x @ p["w"], y) + jnp.sum(jnp.square(p["penalised"])))


@program({"p['a']": plain("derived"), "p['b']": plain("derived"), "p['head']": reduced("f32")},
         p=weights(a=(WIDTH, 4), b=(4, 48), head=(48, WIDTH)), x=X, y=X)
def low_rank_product(mesh):
    return trained_by(lambda p, x, y: error(jnp.tanh(x @ (p["a"] @ p["b"])) @ p["head"], y))


@program({"p['gain']": plain("derived"), "p['head']": reduced("f32"), "p['v']": reduced("f32")},
         p=weights(gain=(48,), v=(WIDTH, 48), head=(48, WIDTH)), x=X, y=X)
def weight_norm(mesh):
    def loss(p, x, y):
        w = p["gain"] * p["v"] / jnp.linalg.norm(p["v"], axis=0)
        return error(jnp.tanh(x @ w) @ p["head"], y)
    return trained_by(loss)


@program({"p['bias']": reduced("f32"), "p['table']": reduced("f32", "f32")},
         p=weights(table=(96, WIDTH), bias=(96,)), x=X, y=X)
def tied_table(mesh):
    def loss(p, x, y):
        h = jnp.tanh(p["table"][x[:, 0].astype(jnp.int32)])
        scores = jax.nn.log_softmax(h @ p["table"].T + p["bias"])
        return -jnp.mean(scores[:, 0] * y[:, 0])
    return trained_by(loss)


@program({"p['w']": reduced("f32", executions=4, in_loop=True), "p['w2']": reduced("f32", executions=4, in_loop=True)},
         p=weights(w=SQUARE, w2=(WIDTH, WIDTH)), x=X, y=X)
def accumulated_micro_batches(mesh):
    def loss(p, x, y):
        return error(jnp.tanh(x @ p["w"]) @ p["w2"], y)

    def step(p, x, y):
        def cut(a):
            return lax.with_sharding_constraint(a.reshape(4, -1, WIDTH), NamedSharding(mesh, P(None, "data")))

        def add(total, batch):
            return jax.tree.map(jnp.add, total, jax.grad(loss)(p, *batch)), None
        total, _ = lax.scan(add, jax.tree.map(jnp.zeros_like, p), (cut(x), cut(y)))
        return descend(p, total)
    return step


@program({"state['p']['w']": reduced("bf16", executions=4, in_loop=True), "state['p']['w2']": reduced("bf16", executions=4, in_loop=True)},
         state={"p": weights(w=SQUARE, w2=SQUARE), "m": weights(w=SQUARE, w2=SQUARE), "average": weights(w=SQUARE, w2=SQUARE), "scale": ((), P())},
         x=((4, ROWS, WIDTH), P(None, "data")), y=((4, ROWS, WIDTH), P(None, "data")), donate=())
def scaled_micro_batches(mesh):
    """A scaled loss, gradients added up in bf16, and a step that is skipped where they overflow."""
    def step(state, x, y):
        def loss(p, x, y):
            p = jax.tree.map(lambda w: w.astype(jnp.bfloat16), p)
            return two_layers(p, x.astype(jnp.bfloat16), y) * state["scale"]

        def add(total, batch):
            value, grads = jax.value_and_grad(loss)(state["p"], *batch)
            return jax.tree.map(lambda t, g: t + g.astype(t.dtype), total, grads), value
        total, values = lax.scan(add, jax.tree.map(lambda w: jnp.zeros(w.shape, jnp.bfloat16), state["p"]), (x, y))
        grads = jax.tree.map(lambda t: t.astype(jnp.float32) / (4 * state["scale"]), total)

        def apply(grads):
            p = jax.tree.map(lambda w, m, g: w - 0.01 * jnp.sign(0.9 * m + 0.1 * g), state["p"], state["m"], grads)
            m = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * g, state["m"], grads)
            return {"p": p, "m": m, "average": jax.tree.map(lambda a, w: 0.9 * a + 0.1 * w, state["average"], p), "scale": state["scale"]}
        finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(g)) for g in jax.tree.leaves(grads)]))
        state = lax.cond(finite, apply, lambda _: state | {"scale": state["scale"] / 2}, grads)
        return state, jnp.mean(values) / state["scale"]
    return step


@program({"p['%s']" % k: reduced("f32") for k in "kqvo"},
         p=weights(q=SQUARE, k=SQUARE, v=SQUARE, o=SQUARE), x=X, y=X)
def projections_of_one_input(mesh):
    def loss(p, x, y):
        h = jax.nn.sigmoid(x @ p["q"]) * jnp.tanh(x @ p["k"]) + x @ p["v"]
        return error(h @ p["o"], y)
    return trained_by(loss)


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def sharded_update(mesh):
    def loss(p, x, y):
        return error(jnp.tanh(x @ p["w"]) @ p["w2"], y)

    def step(p, x, y):
        rows = NamedSharding(mesh, P("data"))
        grads = jax.tree.map(lambda g: lax.with_sharding_constraint(g, rows), jax.grad(loss)(p, x, y))
        return descend(p, grads)
    return step


@program({"p['w']": reduced("f32"), "p['w2']": reduced("bf16")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def one_product_in_bf16(mesh):
    def loss(p, x, y):
        return error(jnp.tanh(x @ p["w"]).astype(jnp.bfloat16) @ p["w2"].astype(jnp.bfloat16), y)
    return trained_by(loss)


def two_layers(p, x, y):
    return error(jnp.tanh(x @ p["w"]) @ p["w2"], y)


@program({"p['w']": reduced("f32"), "p['w2']": plain("missing", alone="unknown")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X, before=True)
def forgotten_reduction(mesh):
    def body(p, x, y):
        g = jax.grad(two_layers)(p, x, y)
        return descend(p, {"w": lax.pmean(g["w"], "data"), "w2": g["w2"]})
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(), check_vma=False)


@program({"p['w']": plain("unknown"), "p['w2']": plain("unknown")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X, before=True)
def added_up_by_hand(mesh):
    """Each device ends up with the sum over all, without a reduction."""
    def total(t):
        for distance in (1, 2, 4):
            t = t + lax.ppermute(t, "data", [(i, i ^ distance) for i in range(8)])
        return t

    def body(p, x, y):
        return descend(p, jax.tree.map(total, jax.grad(two_layers)(p, x, y)))
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(), check_vma=False)


@program({"p['w']": plain("missing", alone="unknown"), "p['w2']": plain("missing", alone="unknown")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X,
         before=True)
def forgotten_where_steps_may_be_skipped(mesh):
    """Old values are equal on all devices, but no reduction makes them so."""
    def body(p, x, y):
        value, g = jax.value_and_grad(two_layers)(p, x, y)
        finite = jnp.isfinite(lax.pmean(value, "data"))
        return lax.cond(finite, descend, lambda p, g: p, p, g)
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(), check_vma=False)


def apart(step, mesh, out):
    """A step of plain gradient descent on each device's own data, and what is done with the new parameters then."""
    def body(n, p, x, y):
        return n + 1, step(n, descend(p, jax.grad(two_layers)(p, x, y)))
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=(P(), out), check_vma=False)


COUNTED = dict(n=((), P()), donate=(), p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)


@program({"p['w']": plain("sharded", alone="unknown"), "p['w2']": plain("sharded", alone="unknown")}, **COUNTED, before=True)
def trained_apart(mesh):
    return apart(lambda n, p: p, mesh, P("data"))


NOW_AND_THEN = reduced("f32", intermittent=True)


@program({"p['w']": NOW_AND_THEN, "p['w2']": NOW_AND_THEN}, **COUNTED)
def averaged_now_and_then(mesh):
    return apart(lambda n, p: lax.cond(n % 4 == 3, lambda p: lax.pmean(p, "data"), lambda p: p, p), mesh, P())


@program({"p['w']": NOW_AND_THEN, "p['w2']": NOW_AND_THEN}, **COUNTED)
def averaged_by_selection(mesh):
    return apart(lambda n, p: jax.tree.map(lambda w: jnp.where(n % 4 == 3, lax.pmean(w, "data"), w), p), mesh, P())


@program({"p['w']": NOW_AND_THEN, "p['w2']": NOW_AND_THEN}, **COUNTED)
def parts_averaged_now_and_then(mesh):
    return apart(lambda n, p: lax.cond(n % 4 == 3, lambda p: lax.pmean(p, "data"), lambda p: p, p), mesh, P("data"))


@program({"p['w']": NOW_AND_THEN, "p['w2']": plain("missing", alone="unknown")}, **COUNTED, before=True)
def one_averaged_now_and_then(mesh):
    return apart(lambda n, p: lax.cond(n % 4 == 3, lambda p: p | {"w": lax.pmean(p["w"], "data")}, lambda p: p, p), mesh, P())


@program({"p['w']": reduced("f32", executions=12, in_loop=True, intermittent=True), "p['w2']": reduced("f32", executions=12, in_loop=True, intermittent=True)},
         **COUNTED)
def averaged_now_and_then_in_a_loop(mesh):
    def body(n, p, x, y):
        def one(carry, _):
            n, p = carry
            p = descend(p, jax.grad(two_layers)(p, x, y))
            return (n + 1, lax.cond(n % 4 == 3, lambda p: lax.pmean(p, "data"), lambda p: p, p)), None
        return lax.scan(one, (n, p), None, length=12)[0]
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P(), check_vma=False)


GATHERED = plain("unknown", intermittent=True)


@program({"p['w']": GATHERED, "p['w2']": GATHERED}, **COUNTED)
def averaged_by_gathering(mesh):
    def mean(p):
        return jax.tree.map(lambda w: lax.all_gather(w, "data").mean(0), p)
    return apart(lambda n, p: lax.cond(n % 4 == 3, mean, lambda p: p, p), mesh, P())


TWO_LEVELS = reduced("f32", "f32", axes=(), each=[["pod"], ["data"]], intermittent=True)


@program({"p['w']": TWO_LEVELS, "p['w2']": TWO_LEVELS}, mesh={"pod": 2, "data": 4}, n=((), P()), donate=(), p=weights(w=SQUARE, w2=SQUARE),
         x=((ROWS, WIDTH), P(("pod", "data"))), y=((ROWS, WIDTH), P(("pod", "data"))))
def averaged_at_two_levels(mesh):
    """Gradients are averaged within pods in every step, parameters between pods in some."""
    def body(n, p, x, y):
        p = descend(p, lax.pmean(jax.grad(two_layers)(p, x, y), "data"))
        return n + 1, lax.cond(n % 4 == 3, lambda p: lax.pmean(p, "pod"), lambda p: p, p)
    rows = P(("pod", "data"))
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows), out_specs=P(), check_vma=False)


OF_ITS_POD = plain("missing", alone="unknown")


@program({"p['w']": OF_ITS_POD, "p['w2']": OF_ITS_POD}, mesh={"pod": 2, "data": 4}, n=((), P()), donate=(), p=weights(w=SQUARE, w2=SQUARE),
         x=((ROWS, WIDTH), P(("pod", "data"))), y=((ROWS, WIDTH), P(("pod", "data"))), before=True)
def parts_over_the_other_axis(mesh):
    """Pods compute different values, and each device of a pod returns a part: pods are said to hold the same."""
    def body(n, p, x, y):
        return n + 1, descend(p, lax.pmean(jax.grad(two_layers)(p, x, y), "data"))
    rows = P(("pod", "data"))
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows), out_specs=(P(), P("data")), check_vma=False)


@program({"p['w']": reduced("f32", alone="unknown"), "p['w2']": reduced("f32", alone="unknown")}, mesh={"pod": 2, "data": 4}, n=((), P()), donate=(),
         p=weights(w=SQUARE, w2=SQUARE), x=((ROWS, WIDTH), P(("pod", "data"))), y=((ROWS, WIDTH), P(("pod", "data"))), before=True)
def one_for_each_pod(mesh):
    def body(n, p, x, y):
        return n + 1, descend(p, lax.pmean(jax.grad(two_layers)(p, x, y), "data"))
    rows = P(("pod", "data"))
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows), out_specs=(P(), P("pod")), check_vma=False)


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, **COUNTED)
def averaged_after_steps_apart(mesh):
    """Devices agree after every call, though each takes several steps of its own."""
    def body(n, p, x, y):
        p = lax.fori_loop(0, 4, lambda _, p: descend(p, jax.grad(two_layers)(p, x, y)), p)
        return n + 1, lax.pmean(p, "data")
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P(), check_vma=False)


@program({"p['w']": reduced("f32", "f32", duplicate=True), "p['w2']": reduced("f32", "f32", duplicate=True)},
         p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def reduced_twice(mesh):
    def body(p, x, y):
        return descend(p, jax.tree.map(lambda g: lax.pmean(g, "data"), jax.grad(two_layers)(p, x, y)))
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P())


@program({"state['p']['w']": reduced("bf16", executions=3, in_loop=True), "state['p']['w2']": reduced("f32", executions=3, in_loop=True)},
         state={"p": weights(w=SQUARE, w2=SQUARE), "m": weights(w=SQUARE, w2=SQUARE)}, x=((3, ROWS, WIDTH), P(None, "data")), y=((3, ROWS, WIDTH), P(None, "data")))
def steps_that_carry_momentum(mesh):
    def loss(p, x, y):
        return error((x.astype(jnp.bfloat16) @ p["w"].astype(jnp.bfloat16)).astype(jnp.float32) @ p["w2"], y)

    def step(state, x, y):
        def one(state, batch):
            m = jax.tree.map(lambda m, g: 0.9 * m + g, state["m"], jax.grad(loss)(state["p"], *batch))
            return {"p": descend(state["p"], m), "m": m}, None
        return lax.scan(one, state, (x, y))[0]
    return step


@program({"online['w']": reduced("f32"), "online['w2']": reduced("f32")},
         online=weights(w=SQUARE, w2=SQUARE), target=weights(w=SQUARE, w2=SQUARE), x=X, y=X, donate=())
def target_that_follows(mesh):
    def loss(online, target, x, y):
        return two_layers(online, x, y + 0.9 * lax.stop_gradient(jnp.tanh(y @ target["w"]) @ target["w2"]))

    def step(online, target, x, y):
        online = descend(online, jax.grad(loss)(online, target, x, y))
        return online, jax.tree.map(lambda t, w: t + 0.01 * (w - t), target, online)
    return step


@program({"made['g']": reduced("f32"), "judge['a']": reduced("f32"), "judge['b']": reduced("f32")},
         made=weights(g=SQUARE), judge=weights(a=(WIDTH, 48), b=(48, 16)), x=X, y=X, donate=())
def adversary(mesh):
    def score(judge, a):
        return jnp.tanh(a @ judge["a"]) @ judge["b"]

    def step(made, judge, x, y):
        def wrong(judge):
            scores = score(judge, jnp.stack([x, y @ made["g"]], 1))
            return jnp.mean(jax.nn.softplus(scores * jnp.array([-1.0, 1.0])[:, None]))
        judge = descend(judge, jax.grad(wrong)(judge))
        return descend(made, jax.grad(lambda made: jnp.mean(jax.nn.softplus(-score(judge, y @ made["g"]))))(made)), judge
    return step


@program({"made['g']": reduced("f32"), "judge['a']": reduced("f32"), "judge['b']": reduced("f32")},
         made=weights(g=SQUARE), judge=weights(a=(WIDTH, 48), b=(48, 16)), squares=weights(a=(WIDTH, 48), b=(48, 16)), x=X, y=X, donate=())
def adversary_with_slots(mesh):
    """The judge's slots are in what trains the other network, by the judge's new value."""
    def score(judge, a):
        return jnp.tanh(a @ judge["a"]) @ judge["b"]

    def step(made, judge, squares, x, y):
        def wrong(judge):
            scores = score(judge, jnp.stack([x, y @ made["g"]], 1))
            return jnp.mean(jax.nn.softplus(scores * jnp.array([-1.0, 1.0])[:, None]))
        grads = jax.grad(wrong)(judge)
        squares = jax.tree.map(lambda s, g: 0.9 * s + 0.1 * g * g, squares, grads)
        judge = jax.tree.map(lambda w, g, s: w - 0.01 * g / jnp.sqrt(s + 1e-8), judge, grads, squares)
        made = descend(made, jax.grad(lambda made: jnp.mean(jax.nn.softplus(-score(judge, y @ made["g"]))))(made))
        return made, judge, squares
    return step


@program({"p['w']": reduced("f32"), "p['scale']": reduced("f32"), "p['w2']": reduced("f32")},
         p=weights(w=SQUARE, scale=(WIDTH,), w2=SQUARE), x=X, y=X)
def normalized_by_batch(mesh):
    """The gradient of the scale is divided by a deviation, which is reduced as well, by the forward pass."""
    def loss(p, x, y):
        h = x @ p["w"]
        centered = h - jnp.mean(h, 0)
        return error(jnp.tanh(centered * (lax.rsqrt(jnp.mean(jnp.square(centered), 0) + 1e-5) * p["scale"])) @ p["w2"], y)
    return trained_by(loss)


@program({"state['base']": plain("not-trained"), "state['head']": reduced("f32")},
         state={"base": (SQUARE, P()), "mean": ((WIDTH,), P()), "head": (SQUARE, P())}, x=X, y=X)
def statistics_of_a_frozen_layer(mesh):
    def step(state, x, y):
        def loss(head):
            h = jnp.tanh(x @ state["base"])
            mean = jnp.mean(h, 0)
            return error((h - mean) @ head, y), mean
        grads, mean = jax.grad(loss, has_aux=True)(state["head"])
        return {"base": state["base"], "mean": 0.9 * state["mean"] + 0.1 * mean, "head": state["head"] - 0.01 * grads}
    return step


@program({"p['up']": reduced("f32"), "p['down']": reduced("f32")},
         p={"up": ((WIDTH, 64), P("data")), "down": ((64, WIDTH), P("data"))}, total={"up": ((WIDTH, 64), P("data")), "down": ((64, WIDTH), P("data"))},
         row={"up": ((WIDTH,), P()), "down": ((64,), P())}, count=((), P()), x=X, y=X, donate=())
def accumulated_over_calls(mesh):
    def step(p, total, row, count, x, y):
        def loss(p):
            return error(jnp.tanh(x @ p["up"]) @ p["down"], y)
        total = jax.tree.map(jnp.add, total, jax.grad(loss)(p))

        def flush(total):
            scale = jax.tree.map(lambda r, t: 0.9 * r + 0.1 * jnp.mean(jnp.square(t), 1), row, total)
            new = jax.tree.map(lambda w, t, s: w - 0.01 * t / jnp.sqrt(s + 1e-6)[:, None], p, total, scale)
            return new, jax.tree.map(jnp.zeros_like, total), scale
        p, total, row = lax.cond(count % 4 == 3, flush, lambda total: (p, total, row), total)
        return p, total, row, count + 1
    return step


@program({"p['w']": plain("not-needed"), "p['w2']": plain("not-needed")},
         p=weights(w=SQUARE, w2=SQUARE), m=weights(w=SQUARE, w2=SQUARE), x=X, y=X, order=((ROWS,), P()), donate=())
def shuffled_batches(mesh):
    def step(p, m, x, y, order):
        order = order.astype(jnp.int32)
        parts = x[order].reshape(4, -1, WIDTH), y[order].reshape(4, -1, WIDTH)

        def one(state, batch):
            p, m = state
            m = jax.tree.map(lambda m, g: 0.9 * m + g, m, jax.grad(two_layers)(p, *batch))
            return (descend(p, m), m), None
        return lax.scan(one, (p, m), lax.with_sharding_constraint(parts, NamedSharding(mesh, P())))[0]
    return step


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def clipped_by_global_norm(mesh):
    def step(p, x, y):
        g = jax.grad(two_layers)(p, x, y)
        norm = jnp.sqrt(sum(jnp.sum(jnp.square(a)) for a in jax.tree.leaves(g)))
        return descend(p, jax.tree.map(lambda a: a * jnp.minimum(1.0, 1.0 / norm), g))
    return step


ADAM = optax.adamw(1e-3)


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, donate=(), p=weights(w=SQUARE, w2=SQUARE), x=X, y=X,
         opt="adam")
def adam_without_donation(mesh):
    """Weights and both slots have one shape, and nothing is donated."""
    def step(p, x, y, opt):
        loss, g = jax.value_and_grad(two_layers)(p, x, y)
        update, opt = ADAM.update(g, opt, p)
        return loss, opt, optax.apply_updates(p, update)
    return step


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, donate=(0, 3), p=weights(w=SQUARE, w2=SQUARE), x=X, y=X,
         opt="adam")
def adam_with_crossed_aliases(mesh):
    """JAX pairs donated arguments and results by shape in order: the slots come first in the results only."""
    def step(p, x, y, opt):
        g = jax.grad(two_layers)(p, x, y)
        update, opt = ADAM.update(g, opt, p)
        return opt, optax.apply_updates(p, update)
    return step


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, donate=(), p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def gradients_returned(mesh):
    return lambda p, x, y: jax.value_and_grad(two_layers)(p, x, y)


@program({"p['up']": reduced("f32"), "p['down']": reduced("f32"), "p['scale']": reduced("f32")},
         mesh={"data": 2, "model": 4},
         p={"up": ((WIDTH, 64), P(None, "model")), "down": ((64, WIDTH), P("model", None)), "scale": ((WIDTH,), P())}, x=X, y=X)
def tensor_parallel(mesh):
    def loss(p, x, y):
        h = x * p["scale"]
        return error(jnp.tanh(h @ p["up"]) @ p["down"] + x, y)
    return trained_by(loss)


@program({"p['up']": reduced("f32"), "p['down']": reduced("f32")}, mesh={"data": 4, "model": 2},
         p={"up": ((WIDTH, 64), P("data", "model")), "down": ((64, WIDTH), P("model", "data"))}, x=X, y=X)
def fsdp_and_tensor_parallel(mesh):
    return trained_by(lambda p, x, y: error(jnp.tanh(x @ p["up"]) @ p["down"], y))


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, p=weights(w=SQUARE, w2=SQUARE),
         stats=weights(mean=(WIDTH,)), x=X, y=X, donate=(0, 1))
def running_statistics(mesh):
    """The statistics are averages of activations, reduced like gradients, and are none."""
    def loss(p, stats, x, y):
        h = jnp.tanh(x @ p["w"])
        mean = jnp.mean(h, axis=0)
        stats = {"mean": 0.9 * stats["mean"] + 0.1 * lax.stop_gradient(mean)}
        return error((h - mean) @ p["w2"], y), stats

    def step(p, stats, x, y):
        g, stats = jax.grad(loss, has_aux=True)(p, stats, x, y)
        return descend(p, g), stats
    return step


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, p=weights(w=SQUARE, w2=SQUARE),
         average=weights(w=SQUARE, w2=SQUARE), x=X, y=X, donate=(0, 1))
def averaged_weights(mesh):
    def step(p, average, x, y):
        p = descend(p, jax.grad(two_layers)(p, x, y))
        return p, jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b, average, p)
    return step


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def skipped_when_not_finite(mesh):
    def step(p, x, y):
        g = jax.grad(two_layers)(p, x, y)
        finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(a)) for a in jax.tree.leaves(g)]))
        return jax.tree.map(lambda old, new: jnp.where(finite, new, old), p, descend(p, g))
    return step


@program({"p['up']": plain("sharded"), "p['down']": plain("sharded"), "p['scale']": plain("not-needed")}, mesh={"model": 8},
         p={"up": ((WIDTH, 64), P(None, "model")), "down": ((64, WIDTH), P("model", None)), "scale": ((WIDTH,), P())},
         x=((ROWS, WIDTH), P()), y=((ROWS, WIDTH), P()))
def tensor_parallel_only(mesh):
    """Activations are summed, gradients are not: every device has the whole batch."""
    def loss(p, x, y):
        h = x * p["scale"]
        return error(jnp.tanh(h @ p["up"]) @ p["down"] + x, y)
    return trained_by(loss)


@program({f"p['{n}']": reduced("f32", axes=("dp",)) for n in ("a0", "b0", "a1", "b1")}, mesh={"dp": 4, "tp": 2},
         p={"a0": ((WIDTH, 4), P()), "b0": ((4, 96), P()), "a1": ((96, 6), P()), "b1": ((6, WIDTH), P())},
         base={"w0": ((WIDTH, 96), P(None, "tp")), "w1": ((96, WIDTH), P("tp", None))},
         x=((ROWS, WIDTH), P("dp")), y=((ROWS, WIDTH), P("dp")))
def adapters_returned_in_tiles(mesh):
    """Low-rank adapters of frozen sharded weights: their new values come back sharded, though they came in whole."""
    def loss(p, base, x, y):
        h = jax.nn.gelu(x @ base["w0"] + (x @ p["a0"]) @ p["b0"])
        return error(h @ base["w1"] + (h @ p["a1"]) @ p["b1"], y)
    return lambda p, base, x, y: descend(p, jax.grad(loss)(p, base, x, y))


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")},
         p={"w": ((WIDTH, WIDTH), P("data")), "w2": ((WIDTH, WIDTH), P("data"))}, x=X, y=X)
def sharded_weights_by_hand(mesh):
    """Each device gathers the weights it needs and scatters the sums of their gradients."""
    def body(p, x, y):
        whole = jax.tree.map(lambda w: lax.all_gather(w, "data", tiled=True), p)
        g = jax.grad(two_layers)(whole, x, y)
        return descend(p, jax.tree.map(lambda a: lax.psum_scatter(a, "data", tiled=True) / 8, g))
    return jax.shard_map(body, mesh=mesh, in_specs=(P("data"), P("data"), P("data")), out_specs=P("data"), check_vma=False)


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, donate=(0, 1),
         p={"w": (SQUARE, P("data")), "w2": (SQUARE, P("data"))}, m={"w": (SQUARE, P("data")), "w2": (SQUARE, P("data"))}, x=X, y=X, before=True)
def sharded_momentum_by_hand(mesh):
    """In the module as JAX makes it one call hands weights and slots to the body, so that all are operands of what each comes out of."""
    def body(p, m, x, y):
        whole = jax.tree.map(lambda w: lax.all_gather(w, "data", tiled=True), p)
        g = jax.tree.map(lambda a: lax.psum_scatter(a, "data", tiled=True) / 8, jax.grad(two_layers)(whole, x, y))
        m = jax.tree.map(lambda m, g: 0.9 * m + g, m, g)
        return descend(p, m), m
    return jax.shard_map(body, mesh=mesh, in_specs=(P("data"),) * 4, out_specs=P("data"), check_vma=False)


@program({"p['w']": plain("derived"), "p['w2']": plain("derived")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def orthogonalised_update(mesh):
    """The update is a product of gradients, so no element of it is a reduced element."""
    def turn(g):
        g = g / jnp.linalg.norm(g)
        for _ in range(2):
            g = 1.5 * g - 0.5 * g @ g.T @ g
        return g @ jnp.flip(g)
    return lambda p, x, y: descend(p, jax.tree.map(turn, jax.grad(two_layers)(p, x, y)))


@program({"p['up']": reduced("f32"), "p['down']": reduced("f32")}, mesh={"data": 2, "model": 4},
         p={"up": ((WIDTH, 64), P(None, "model")), "down": ((64, WIDTH), P("model", None))}, x=X, y=X)
def orthogonalised_in_tiles(mesh):
    """The optimizer multiplies gradients that are split over an axis; what it sums over that axis is no activation."""
    def turn(g):
        flat = g / jnp.linalg.norm(g)
        tall = flat.shape[0] > flat.shape[1]
        flat = flat.T if tall else flat
        for _ in range(2):
            flat = 1.5 * flat - 0.5 * (flat @ flat.T) @ flat
        return g + 0.1 * (flat.T if tall else flat)

    def step(p, x, y):
        grads = jax.grad(lambda p: error(jnp.tanh(x @ p["up"]) @ p["down"], y))(p)
        return descend(p, jax.tree.map(turn, grads))
    return step


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, p=weights(w=SQUARE, w2=SQUARE),
         rows=weights(w=(WIDTH,), w2=(WIDTH,)), x=X, y=X, donate=(0, 1))
def factored_statistics(mesh):
    def step(p, rows, x, y):
        g = jax.grad(two_layers)(p, x, y)
        rows = jax.tree.map(lambda r, a: 0.9 * r + 0.1 * jnp.mean(jnp.square(a), axis=1), rows, g)
        scaled = jax.tree.map(lambda a, r: a * lax.rsqrt(r + 1e-6)[:, None], g, rows)
        return descend(p, scaled), rows
    return step


@program({"p['w']": reduced("f32", executions=3, in_loop=True), "p['w2']": reduced("f32", executions=3, in_loop=True)},
         p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def several_steps_in_one_call(mesh):
    def step(p, x, y):
        return lax.fori_loop(0, 3, lambda _, q: descend(q, jax.grad(two_layers)(q, x, y)), p)
    return step


@program({"p['w']": reduced("bf16"), "p['w2']": reduced("bf16")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def recomputed_layers(mesh):
    def loss(p, x, y):
        @jax.checkpoint
        def layer(h, w):
            return jnp.tanh(h.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16))
        return error(layer(layer(x, p["w"]), p["w2"]), y)
    return trained_by(loss)


@program({"p['w']": reduced("f32"), "p['w2']": reduced("f32")}, p=weights(w=SQUARE, w2=SQUARE), x=X, y=X)
def raveled_update(mesh):
    """All gradients are put into one vector, and taken out again."""
    from jax.flatten_util import ravel_pytree

    def step(p, x, y):
        flat, unravel = ravel_pytree(p)
        grads, _ = ravel_pytree(jax.grad(two_layers)(p, x, y))
        return unravel(flat - 0.01 * grads / (1e-3 + jnp.linalg.norm(grads)))
    return step


@program({}, donate=(), p=weights(w=SQUARE, w2=SQUARE), x=X)
def residual_inference(mesh):
    """The result has the type of an argument and contains it."""
    return lambda p, x: x + jnp.tanh(x @ p["w"]) @ p["w2"]


@program({}, mesh={"data": 2, "model": 4}, donate=(1,),
         p={"k": ((WIDTH, WIDTH), P("model", None)), "o": (SQUARE, P())}, cache=((ROWS, 16, WIDTH), P("data")), x=X)
def decoding_with_a_cache(mesh):
    """A donated array is updated with reduced values, and feeds reductions."""
    def step(p, cache, x):
        x = lax.with_sharding_constraint(x, NamedSharding(mesh, P("data", "model")))
        key = x @ p["k"]
        cache = lax.dynamic_update_slice(cache, key[:, None], (0, 3, 0))
        mixed = jnp.einsum("bd,btd->bt", key, cache)
        return cache, jnp.einsum("bt,btd->bd", jax.nn.softmax(mixed), cache) @ p["o"]
    return step


@program({"p['w']": reduced("f32"), "p['r']": reduced("f32")}, p=weights(w=SQUARE, r=SQUARE), state=X, x=X, y=X,
         donate=(0, 1))
def carried_state(mesh):
    """The state of a recurrent cell is handed on from step to step; it is updated and is not trained."""
    def loss(p, state, x, y):
        state = 0.5 * state + 0.5 * jnp.tanh(x @ p["w"] + state @ p["r"])
        return error(state, y), state

    def step(p, state, x, y):
        g, state = jax.grad(loss, has_aux=True)(p, state, x, y)
        return descend(p, g), state
    return step


def leaves_of(mesh, spec):
    if isinstance(spec, dict):
        return {k: leaves_of(mesh, s) for k, s in spec.items()}
    shape, axes = spec
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, axes))


def arguments(mesh, prog):
    args = {}
    for name, spec in prog.args.items():
        if spec == "adam":
            state = jax.eval_shape(ADAM.init, args["p"])
            args[name] = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=NamedSharding(mesh, P())), state)
        else:
            args[name] = leaves_of(mesh, spec)
    return list(args.values())


H100 = """gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152 shared_memory_per_core: 233472
  threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128 block_dim_limit_x: 2147483647 block_dim_limit_y: 65535
  block_dim_limit_z: 65535 memory_bandwidth: 3352320000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98
  device_memory_size: 84942979072 shared_memory_per_block_optin: 232448 cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536 registers_per_block_limit: 65536 }
platform_name: "CUDA" dnn_version_info { major: 9 minor: 8 patch: 0 } device_description_str: "NVIDIA H100 80GB HBM3"
"""


def devices():
    from jax.experimental import topologies
    if TARGET == "tpu":
        return topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x4").devices
    if TARGET == "gpu":
        return topologies.get_topology_desc(platform="cuda", topology_name="", target_config=H100, topology="1x1x8").devices
    return jax.devices()


def compiled(name, prog):
    mesh = Mesh(np.array(devices()).reshape(tuple(prog.mesh.values())), tuple(prog.mesh))
    step = prog.make(mesh)
    try:
        step.__name__ = name
    except AttributeError:
        pass
    args = arguments(mesh, prog)
    with tempfile.TemporaryDirectory() as folder:
        out = None
        if prog.donate and prog.donate[0] == 0 and len(prog.donate) == 1:
            out = jax.tree.map(lambda a: a.sharding, args[0])
        lowered = jax.jit(step, donate_argnums=prog.donate, out_shardings=out).lower(*args)
        options = {"xla_dump_to": folder, "xla_dump_hlo_as_text": True, "xla_dump_hlo_as_proto": True,
                   "xla_dump_hlo_pass_re": ".*spmd-partitioning.*"}
        if TARGET == "gpu":
            options["xla_gpu_autotune_level"] = 0
        lowered.compile(compiler_options=options)

        def content(pattern):
            found = sorted(glob.glob(os.path.join(folder, pattern)), key=os.path.getsize)
            with open(found[-1], "rb") as f:
                return f.read()

        def text(pattern):
            return content(pattern).replace(b'"%s"' % os.path.basename(__file__).encode(), b'"%s"' % SHOWN.encode())
        after = "tpu-spmd-partitioning" if TARGET == "tpu" else "spmd-partitioning"
        final = {"cpu": "*cpu_after_optimizations.txt", "tpu": "*.after_optimizations.txt", "gpu": "*gpu_after_optimizations.txt"}
        return text("*after_%s.*.txt" % after), text(final[TARGET]), text("*before_optimizations.txt"), content("*after_%s.*.hlo.pb" % after)


def main():
    squeeze = zstandard.ZstdCompressor(level=19)
    for name in [a for a in sys.argv[1:] if not a.startswith("--")] or PROGRAMS:
        prog = PROGRAMS[name]
        folder = os.path.join(HERE, name)
        os.makedirs(folder, exist_ok=True)
        for file, text in zip(("after_spmd.txt", "after_opt.txt", "before_opt.txt", "after_spmd.hlo.pb"), compiled(name, prog)):
            if file in ("before_opt.txt", "after_spmd.hlo.pb") and not (prog.before and TARGET == "cpu"):
                continue
            if TARGET != "cpu":
                file = TARGET + "_" + file
            elif jax.__version__ != "0.10.2":
                file = "jax-%s_%s" % (jax.__version__, file)
            with open(os.path.join(folder, file + ".zst"), "wb") as f:
                f.write(squeeze.compress(text))
        with open(os.path.join(folder, "expected.json"), "w") as f:
            json.dump({"mesh": [{"name": k, "size": v} for k, v in prog.mesh.items()], "parameters": prog.expect}, f, indent=1)
            f.write("\n")
        print(name)


if __name__ == "__main__":
    main()
