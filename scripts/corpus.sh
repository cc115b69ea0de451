#!/usr/bin/env bash
# Runs shardls over the Python of published JAX packages (scripts/corpus.txt) and compares what it finds with
# scripts/corpus.golden, whose every line docs/corpus.md justifies. With -update, writes the golden file.
# Needs python3 with pip for the download; the packages are unpacked under .cache/corpus and never run.
set -euo pipefail
cd "$(dirname "$0")/.."
corpus=$PWD/.cache/corpus
golden=$PWD/scripts/corpus.golden

fetch() {
  local package=$1 dir=$corpus/$1 wheels
  [ -d "$dir" ] && return
  wheels=$(mktemp -d)
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.12 \
    --dest "$wheels" "$package"
  mkdir -p "$dir.partial"
  python3 - "$wheels" "$dir.partial" <<'PYTHON'
import pathlib, sys, zipfile
for wheel in pathlib.Path(sys.argv[1]).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith((".py", ".pyi", ".ipynb")):
                archive.extract(name, sys.argv[2])
PYTHON
  rm -r "$wheels"
  mv "$dir.partial" "$dir"
}

mkdir -p "$corpus"
while read -r package; do
  fetch "$package"
done < scripts/corpus.txt
go build -o bin/shardls ./cmd/shardls

found=$(mktemp)
trap 'rm -f "$found"' EXIT
while read -r package; do
  # Each package is a workspace of its own. Status 1 says that there are findings; a sorted file compares well.
  (cd "$corpus/$package" && "$OLDPWD/bin/shardls" check --isolated --output-format concise . || [ $? = 1 ]) |
    { grep -E '^[^ ]+:[0-9]+:[0-9]+: ' || true; } | sed "s|^|$package/|"
done < scripts/corpus.txt | LC_ALL=C sort > "$found"

wc -l < "$found" | sed 's/$/ findings/'
if [ "${1:-}" = -update ]; then
  cp "$found" "$golden"
else
  diff -u "$golden" "$found"
fi
