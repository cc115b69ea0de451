#!/usr/bin/env bash
# Makes data/dump again from data/train.py. Usage: generate.sh [PYTHON], a Python that has jax==0.10.2.
# The script runs from /home/user/demo, so that stack frames name no folder of the machine that made them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${1:-python3}
home=/home/user/demo

version=$("$python" -c 'import jax; print(jax.__version__)')
[ "$version" = 0.10.2 ] || { echo "generate.sh: need jax 0.10.2, $python has $version" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work" "$home"' EXIT
mkdir -p "$home"
cp "$here/data/train.py" "$home/train.py"

cd "$home"
env -i PATH=/usr/bin:/bin HOME=/home/user PYTHONDONTWRITEBYTECODE=1 JAX_PLATFORMS=cpu \
  JAX_ENABLE_COMPILATION_CACHE=false \
  XLA_FLAGS="--xla_force_host_platform_device_count=8 --xla_dump_to=$work --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=spmd-partitioning" \
  "$python" train.py

rm -rf "$here/data/dump"
mkdir -p "$here/data/dump"
for file in "$work"/*.jit_train_step.*after_spmd-partitioning.*.txt "$work"/*.jit_train_step.cpu_after_optimizations.txt; do
  # Library frames keep only what follows site-packages: the rest depends on where Python is installed.
  sed -E 's#"/[^"]*/site-packages/#"/usr/lib/python3/site-packages/#g' "$file" | gzip -9n > "$here/data/dump/$(basename "$file").gz"
done
ls -l "$here/data/dump"
