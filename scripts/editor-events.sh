#!/usr/bin/env bash
# Runs tests of editors (editors/test/NAME.sh), which are programs of their own, and prints the outcome as "go test -json"
# would. Usage: editor-events.sh NAME...
set -uo pipefail
cd "$(dirname "$0")/.."

event() { # event ACTION NAME [OUTPUT]
  python3 -c 'import json, sys
print(json.dumps({"Action": sys.argv[1], "Package": "editors/test", "Test": sys.argv[2], "Output": sys.argv[3]}))' "$1" "$2" "${3:-}"
}

for name in "$@"; do
  if output=$("editors/test/$name.sh" 2>&1); then
    event pass "$name"
  else
    event output "$name" "$output"$'\n'
    event fail "$name"
  fi
done
