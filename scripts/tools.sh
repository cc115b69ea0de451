#!/usr/bin/env bash
# Installs what the tests need under .cache: Python environments, Neovim, golangci-lint. Quick when nothing changed.
# "tools.sh targets" installs the compilers for TPU and GPU instead, 3 GB.
set -euo pipefail
cd "$(dirname "$0")/.."
cache=$PWD/.cache
golangci=v2.12.2

# Debian splits venv out of its Python; on a machine where that half is missing, root can add it.
need_venv() {
  python3 -c 'import ensurepip, venv' 2>/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
  else
    echo "tools: python3 with venv is needed (Debian: apt-get install python3-venv)" >&2
    exit 1
  fi
}

# environment NAME: a virtual environment with scripts/requirements-NAME.txt, made anew when that file changes.
environment() {
  local dir=$cache/$1 wanted=scripts/requirements-$1.txt
  cmp -s "$wanted" "$dir/installed.txt" && return
  need_venv
  echo "tools: installing $1"
  rm -rf "$dir"
  python3 -m venv "$dir"
  "$dir/bin/pip" install --quiet --disable-pip-version-check --no-input -r "$wanted"
  cp "$wanted" "$dir/installed.txt" # last, so that an interrupted installation starts over
}

linter() {
  local stamp=$cache/bin/golangci-lint.$golangci
  [ -e "$stamp" ] && return
  echo "tools: building golangci-lint $golangci"
  GOBIN=$cache/bin GOFLAGS='' go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$golangci"
  touch "$stamp"
}

mkdir -p "$cache/bin"
if [ "${1-}" = targets ]; then
  environment target-tpu
  environment target-gpu
  exit
fi
environment tools
environment jax-0.10.2
environment jax-0.6.2
linter
