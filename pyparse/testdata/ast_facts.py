"""Reads paths from standard input and writes what CPython's own parser sees in each file, one JSON object a line.

With an argument it reads that file instead, which holds snippets that each end in a line of three dashes:
python3.13 ast_facts.py syntax.txt > syntax.jsonl

Keys: path; error (a message when CPython rejects the file, and then nothing else); names, calls and attributes as
[start, end]; strings and ints as [start, end, value]. Offsets count bytes from the start of the file.
"""

import ast
import json
import re
import sys
import warnings

warnings.simplefilter("ignore")


def line_starts(source):
    starts = [0]
    for m in re.finditer(rb"\r\n|\n|\r", source):
        starts.append(m.end())
    return starts


def read(path):
    with open(path, "rb") as f:
        return f.read()


def facts(path, source):
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        return {"path": path, "error": f"{type(e).__name__}: {e}"}
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return {"path": path, "encoded": True}
    if re.match(rb"(?:.*\n)?.*coding[:=]\s*(?!utf-?8|ascii|us-ascii)\w", source[:300]):
        if source.startswith(b"#") and not source.isascii():
            return {"path": path, "encoded": True}
    starts = line_starts(source)
    starts[0] = 3 if source.startswith(b"\xef\xbb\xbf") else 0
    out = {"path": path, "names": [], "calls": [], "attributes": [], "strings": [], "ints": []}

    def span(n):
        return [starts[n.lineno - 1] + n.col_offset, starts[n.end_lineno - 1] + n.end_col_offset]

    inside = set()
    for n in ast.walk(tree):
        if type(n).__name__ in ("JoinedStr", "TemplateStr"):
            inside.update(id(v) for v in n.values)
    for n in ast.walk(tree):
        match n:
            case ast.Name():
                out["names"].append(span(n))
            case ast.Call():
                out["calls"].append(span(n))
            case ast.Attribute():
                out["attributes"].append(span(n))
            case ast.Constant(value=str()) if id(n) not in inside and n.value.isprintable():
                out["strings"].append(span(n) + [n.value])
            case ast.Constant(value=int()) if not isinstance(n.value, bool) and abs(n.value) < 2**53:
                out["ints"].append(span(n) + [n.value])
    return out


sys.setrecursionlimit(20000)
if len(sys.argv) > 1:
    for snippet in read(sys.argv[1]).decode().removesuffix("---\n").split("---\n"):
        print(json.dumps({"source": snippet} | facts("", snippet.encode())))
else:
    for line in sys.stdin:
        path = line.rstrip("\n")
        print(json.dumps(facts(path, read(path))), flush=True)
