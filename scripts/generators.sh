#!/usr/bin/env bash
# A client that openapi-python-client makes of the OpenAPI document, without a warning: it
# makes ten calls to the real server, a backtest and a kept run among them, and what it read
# is what the server wrote.
#
#   scripts/generators.sh
#
# $LADDERBACK_BIN is the binary (built when not set). What is installed goes into
# $LADDERBACK_GENERATORS, which may be kept (default: a temporary folder).
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
server=
cleanup() {
  local status=$?
  [ -z "$server" ] || kill -TERM "$server" 2>/dev/null || true
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT
tools=${LADDERBACK_GENERATORS:-$work/tools}

bin=${LADDERBACK_BIN:-}
if [ -z "$bin" ]; then
  bin=$work/ladderback
  CGO_ENABLED=0 go build -o "$bin" ./cmd/ladderback
fi
"$bin" simulate --quiet --markets 24 --coins BTC,ETH --types 5m --seed 5 --archive "$work/archive.db" >/dev/null
port=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])')
base=http://127.0.0.1:$port
"$bin" serve --archive "$work/archive.db" --local-key --addr "127.0.0.1:$port" --metrics-addr none >"$work/key" 2>"$work/serve.log" &
server=$!
for _ in $(seq 600); do
  if curl -fs "$base/readyz" >/dev/null 2>&1; then break; fi
  kill -0 "$server"
  sleep 0.1
done

[ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
"$tools/venv/bin/python" -m pip install -q openapi-python-client==0.29.1
PATH=$tools/venv/bin:$PATH "$tools/venv/bin/openapi-python-client" generate --meta none \
  --path api/openapi.json --output-path "$work/ladderback_client" >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
if grep -iE 'warn|error|skipping' "$work/said"; then
  echo "the document is not taken without a warning" >&2
  exit 1
fi
PYTHONPATH=$work "$tools/venv/bin/python" scripts/generators/openapi_python_client.py "$base" "$(head -n 1 "$work/key")"
