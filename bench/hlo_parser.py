"""Measures `shardls collectives` on large HLO text against XLA's own text parser.

    go build -o bin/shardls ./cmd/shardls
    python bench/hlo_parser.py --shardls bin/shardls [--layers 1160,2900,11500] [--pairs 5]

The Python that runs it must have jaxlib. Runs alternate (A B A B ...), so that a busy machine slows both alike. For shardls
the CPU seconds and the peak memory are those of the whole process, which reads the file, attributes every collective and
writes the JSON document. For XLA the seconds are those of the parser alone, without starting Python and reading the
file; its memory is that of the process less what it had before parsing.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

PARSE = """
import json, resource, sys
try:
    from jaxlib import _hlo as xla
except ImportError:
    from jaxlib import xla_client
    xla = xla_client._xla
text = open(sys.argv[1]).read()
before = resource.getrusage(resource.RUSAGE_SELF)
xla.hlo_module_from_text(text)
after = resource.getrusage(resource.RUSAGE_SELF)
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps([cpu, (after.ru_maxrss - before.ru_maxrss) * 1024]))
"""


def shardls(binary, path):
    """CPU seconds and peak bytes of one whole process."""
    with open(os.devnull, "wb") as null:
        child = subprocess.Popen([binary, "collectives", path, "--output-format", "json"], stdout=null)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{binary} ended with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def xla(path):
    """CPU seconds and added bytes of XLA's parser."""
    out = subprocess.run([sys.executable, "-c", PARSE, path], check=True, capture_output=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def measure(binary, path, pairs):
    ours, theirs = [], []
    for _ in range(pairs):
        ours.append(shardls(binary, path))
        theirs.append(xla(path))
    size = os.path.getsize(path)
    cpu, rss = (statistics.median(v) for v in zip(*ours))
    parser, added = (statistics.median(v) for v in zip(*theirs))
    print(f"| {os.path.basename(path)} | {size / 1e6:.1f} MB | {cpu:.3f} s | {rss / 2**20:.0f} MiB | {rss / size:.2f} | "
          f"{parser:.2f} s | {added / 2**20:.0f} MiB | {parser / cpu:.1f} |", flush=True)


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--shardls", required=True)
    args.add_argument("--layers", default="1160,2900,11500", help="sizes of generated modules; a layer takes 8.2 kB, 11500 are 95 MB")
    args.add_argument("--dump", action="append", default=[], help="a text dump to measure as well")
    args.add_argument("--pairs", type=int, default=5)
    args = args.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    print("| input | size | shardls | peak | peak / size | XLA's parser | adds | ratio |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for dump in args.dump:
            measure(args.shardls, dump, args.pairs)
        for layers in filter(None, args.layers.split(",")):
            path = os.path.join(folder, f"generated, {layers} layers")
            with open(path, "wb") as f:
                subprocess.run(["go", "run", "./bench/hlogen", layers], stdout=f, check=True, cwd=root)
            measure(args.shardls, path, args.pairs)


main()
