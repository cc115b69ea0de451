"""Runs the programs of a JSON list on standard input and prints what each printed or raised, in the same order.

JAX is imported before the programs are, and every program runs in a child forked from here: it starts at once and shares
no state with the others. No backend exists in the parent, so nothing but Python is forked.
"""

import contextlib
import io
import json
import os
import sys
import warnings

import jax
import jax.numpy

for library in ("flax.linen", "optax"):
    with contextlib.suppress(ImportError):
        __import__(library)


def outcome(program):
    """The result of one program, in the process that runs it."""
    printed, raised = io.StringIO(), ""
    warnings.simplefilter("ignore")
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(program["source"], program["name"], "exec"), {"__name__": "__main__"})
            jax.effects_barrier()
    except BaseException as e:  # a program may also exit
        raised = f"{type(e).__name__}: {e}"
    return {"name": program["name"], "printed": printed.getvalue().strip(), "raised": raised}


def start(program):
    """Forks, and returns the child and where its result comes from."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, os.fdopen(reading)
    os.close(reading)
    with os.fdopen(writing, "w") as out:
        json.dump(outcome(program), out)
    os._exit(0)


def finish(program, child, result):
    text = result.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"name": program["name"], "printed": "", "raised": "Killed: no result"}


def main():
    results_to = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries also write to the file descriptor
    programs = json.load(sys.stdin)
    abreast = os.cpu_count() or 1
    running, results = [], []
    for program in programs:
        if len(running) == abreast:
            results.append(finish(*running.pop(0)))
        running.append((program, *start(program)))
    results += [finish(*r) for r in running]
    with results_to:
        json.dump(results, results_to)


main()
