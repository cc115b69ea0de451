"""Compares the CPU time and the peak memory of `shardls check` with those of `ruff check` on the same files.

The two run in turn (A B A B ...), each as a whole cold process, so that a busy machine slows both. Seconds are CPU seconds of user
and system together, the peak is the largest resident set of a run.

    go build -o bin/shardls ./cmd/shardls
    python bench/check_ruff.py --shardls bin/shardls --ruff ruff --pairs 5 DIR...
"""

import argparse
import os
import statistics
import subprocess
import sys

MEBIBYTE = 1 << 20
KIBIBYTE = 1 << 10


def measure(command):
    """Runs a command to its end and returns its CPU seconds and its peak in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1 says that there are findings
        sys.exit(f"{' '.join(command)}: status {process.returncode}")
    unit = 1 if sys.platform == "darwin" else KIBIBYTE
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit


def python_files(directory):
    """Returns how many Python files lie below a directory, and their bytes."""
    sizes = [
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(directory)
        for name in names
        if name.endswith((".py", ".pyi", ".ipynb"))
    ]
    return len(sizes), sum(sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shardls", required=True, help="the program to measure")
    parser.add_argument("--ruff", default="ruff", help="the program to compare it with")
    parser.add_argument("--pairs", type=int, default=5, help="how often each runs")
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()

    print("| files | size | shardls | peak | ruff | peak | ratio |")
    print("|---|---|---|---|---|---|---|")
    for directory in arguments.directories:
        commands = [
            [arguments.shardls, "check", "--isolated", "--output-format", "json", directory],
            [arguments.ruff, "check", "--isolated", "--no-cache", "--quiet", directory],
        ]
        runs = [[measure(command) for command in commands] for _ in range(arguments.pairs)]
        ratio = statistics.median(ours[0] / theirs[0] for ours, theirs in runs)
        cells = []
        for tool in range(len(commands)):
            seconds = [pair[tool][0] for pair in runs]
            peak = max(pair[tool][1] for pair in runs)
            cells += [f"{min(seconds):.2f} s (median {statistics.median(seconds):.2f})", f"{peak / MEBIBYTE:.0f} MiB"]
        files, size = python_files(directory)
        print(f"| {files:,} | {size / 1e6:.1f} MB | {' | '.join(cells)} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
