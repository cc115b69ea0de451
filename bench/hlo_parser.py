"""Measures `shardls collectives` on large HLO dumps against other readers of the same files.

    go build -trimpath -ldflags '-s -w' -o bin/shardls ./cmd/shardls
    python bench/hlo_parser.py --shardls bin/shardls [--layers 1160,2900,11500] [--devices 16384] [--dump FILE]... [--pairs 5]

What a dump is measured against depends on its name:

  text           XLA's own text parser, `hlo_module_from_text` of jaxlib
  .pb            protobuf's parser for Python (upb), with the schema that jaxlib carries
  .gz and .zst   `gzip -dc` or `zstd -dc`, and shardls on what these write, together

The Python that runs it must have jaxlib and, for .pb, protobuf. Runs alternate (A B A B ...), so that a busy machine slows both
alike; the least CPU seconds (user and system) of each count. For shardls they and the peak memory are those of the whole process,
which reads the file, attributes every collective and writes the JSON document to nowhere, in an empty directory. For XLA and
protobuf the seconds are those of the parser alone, without starting Python and reading the file; their memory is that of the
process less what it had before parsing.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

CHILD = """
import json, resource, sys
{prepare}
before = resource.getrusage(resource.RUSAGE_SELF)
{parse}
after = resource.getrusage(resource.RUSAGE_SELF)
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps([cpu, (after.ru_maxrss - before.ru_maxrss) * 1024]))
"""

XLA = CHILD.format(prepare="""
try:
    from jaxlib import _hlo as xla
except ImportError:
    from jaxlib import xla_client
    xla = xla_client._xla
text = open(sys.argv[1]).read()
""", parse="xla.hlo_module_from_text(text)")

# The schema stands in jaxlib's shared library as serialized FileDescriptorProtos: from the field with the file's name on, up to a
# field that such a message does not have. KINDS are the wire types of those that it has.
UPB = CHILD.format(prepare="""
import importlib.util, mmap, pathlib
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

KINDS = {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 2, 8: 2, 9: 2, 10: 0, 11: 0, 12: 2, 14: 0, 15: 2}
folder = pathlib.Path(importlib.util.find_spec("jaxlib").origin).parent
library = max(folder.glob("*.so*"), key=lambda path: path.stat().st_size).open("rb")
library = mmap.mmap(library.fileno(), 0, access=mmap.ACCESS_READ)
pool = descriptor_pool.DescriptorPool()
added = set()

def varint(b, p):
    n = shift = 0
    while True:
        n |= (b[p] & 127) << shift
        shift, p = shift + 7, p + 1
        if b[p - 1] < 128:
            return n, p

def schema(start):
    p = start
    while True:
        tag, after = varint(library, p)
        if KINDS.get(tag >> 3) != tag & 7 or tag >> 3 == 1 and p != start:
            return descriptor_pb2.FileDescriptorProto.FromString(library[start:p])
        n, p = varint(library, after)
        if tag & 7 == 2:
            p += n

def add(name):
    if name in added:
        return
    added.add(name)
    described = schema(library.find(bytes([10, len(name)]) + name.encode()))
    for other in described.dependency:
        add(other)
    pool.Add(described)

add("xla/service/hlo.proto")
data = open(sys.argv[1], "rb").read()
# The first field of a HloProto is the module, nearly all there is, that of a HloModuleProto its name.
name = "xla.HloProto" if varint(data, 1)[0] > len(data) // 2 else "xla.HloModuleProto"
kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
""", parse="kind.FromString(data)")


def whole(command):
    """CPU seconds and peak bytes of one whole process, which writes to nowhere."""
    with tempfile.TemporaryDirectory() as empty, open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, stdout=null, cwd=empty)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command[0]} ended with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def parser(code, path):
    """CPU seconds and added bytes of a parser in Python."""
    out = subprocess.run([sys.executable, "-c", code, path], check=True, capture_output=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def shardls(binary, path):
    return whole([binary, "collectives", path, "--output-format", "json"])


def anchor(binary, path, plain):
    """Names what a dump is measured against, and gives a function that measures it."""
    if path.endswith((".gz", ".zst")):
        tool = "gzip" if path.endswith(".gz") else "zstd"
        with open(plain, "wb") as out:
            subprocess.run([tool, "-dc", path], stdout=out, check=True)

        def both():
            (unpacking, _), (reading, peak) = whole([tool, "-dc", path]), shardls(binary, plain)
            return unpacking + reading, peak
        return f"{tool} -dc and shardls", both
    if path.endswith(".pb"):
        return "upb", lambda: parser(UPB, path)
    return "XLA's parser", lambda: parser(XLA, path)


def measure(binary, path, pairs, plain):
    name, other = anchor(binary, path, plain)
    ours, theirs = [], []
    for _ in range(pairs):
        ours.append(shardls(binary, path))
        theirs.append(other())
    size = os.path.getsize(path)
    cpu, parsing = min(ours)[0], min(theirs)[0]
    peak, added = (statistics.median(memory for _, memory in runs) for runs in (ours, theirs))
    print(f"| {os.path.basename(path)} | {size / 1e6:.1f} MB | {cpu:.3f} s | {peak / 2**20:.0f} MiB | {peak / size:.2f} | "
          f"{name} | {parsing:.3f} s | {added / 2**20:.0f} MiB | {parsing / cpu:.1f} |", flush=True)


def long_lists(devices, collectives=200):
    """A module whose all-reduces write out groups of all devices, in turn along the rows and the columns of a mesh of 16 columns."""
    rows = [range(n, n + 16) for n in range(0, devices, 16)]
    columns = [range(n, devices, 16) for n in range(16)]
    lists = ["{" + ",".join("{" + ",".join(map(str, group)) + "}" for group in groups) + "}" for groups in (columns, rows)]
    lines = [f"HloModule m, num_partitions={devices}\n", "%add (a: f32[], b: f32[]) -> f32[] {", "  %a = f32[] parameter(0)",
             "  %b = f32[] parameter(1)", "  ROOT %r = f32[] add(%a, %b)", "}\n", "ENTRY %e (x: f32[8,4]) -> f32[8,4] {",
             '  %sum.0 = f32[8,4]{1,0} parameter(0), sharding={devices=[' + f'{devices},1]<=[{devices}]' + '}, metadata={op_name="x"}']
    for k in range(collectives):
        root = "ROOT " if k == collectives - 1 else ""
        lines.append(f"  {root}%sum.{k + 1} = f32[8,4]{{1,0}} all-reduce(%sum.{k}), channel_id={k + 1}, replica_groups={lists[k % 2]}, "
                     'use_global_device_ids=true, to_apply=%add, metadata={op_name="jit(f)/transpose(jvp())/dot_general"}')
    return "\n".join([*lines, "}", ""])


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--shardls", required=True, type=os.path.abspath)
    args.add_argument("--layers", default="1160,2900,11500", help="sizes of generated modules; a layer takes 8.2 kB, 11500 are 95 MB")
    args.add_argument("--dump", action="append", default=[], type=os.path.abspath, help="a dump to measure as well")
    args.add_argument("--devices", type=int, help="also measure a module with lists of so many devices")
    args.add_argument("--pairs", type=int, default=5)
    args = args.parse_args()
    print("| input | size | shardls | peak | peak / size | against | its CPU | it adds | ratio |\n|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "unpacked")
        for dump in args.dump:
            measure(args.shardls, dump, args.pairs, plain)
        if args.devices:
            path = os.path.join(folder, f"lists of {args.devices} devices")
            with open(path, "w") as f:
                f.write(long_lists(args.devices))
            measure(args.shardls, path, args.pairs, plain)
        for layers in filter(None, args.layers.split(",")):
            path = os.path.join(folder, f"generated, {layers} layers")
            with open(path, "wb") as f:
                subprocess.run(["go", "run", "./bench/hlogen", layers], stdout=f, check=True, cwd=ROOT)
            measure(args.shardls, path, args.pairs, plain)


main()
