#!/usr/bin/env bash
# Opens the demo in a real, headless Neovim with the files of editors/nvim. Neovim comes from scripts/tools.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
nvim=$PWD/.cache/tools/bin/nvim
[ -x "$nvim" ] || { echo "nvim.sh: run make tools first" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/shardls" ./cmd/shardls
mkdir "$work/demo"
cp -r internal/demo/data/. "$work/demo"
printf '[hlo]\ndumps = ["dump"]\n' > "$work/demo/shardls.toml"
export SHARDLS=$work/shardls SHARDLS_DEMO=$work/demo SHARDLS_EDITOR=$PWD/editors/nvim
# An empty home: no configuration of the person who runs this.
export HOME=$work/home XDG_CONFIG_HOME=$work/home/config XDG_STATE_HOME=$work/home/state XDG_DATA_HOME=$work/home/data XDG_CACHE_HOME=$work/home/cache
timeout 300 "$nvim" --clean --headless -l editors/test/nvim.lua 2>&1
