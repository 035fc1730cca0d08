#!/usr/bin/env bash
# Clients that nobody here wrote, unchanged but for the base address, against the
# real server: the npm package @polyorderbooks/mcp-server and the PyPI packages
# polyorderbooks and polymarketdata-sdk; then Schemathesis over every route of
# the OpenAPI document; the Python examples of docs/api.md and docs/python.md; and
# exports, read back by pandas, polars and DuckDB.
#
#   scripts/clients.sh [ARCHIVE…]      or --install, which does nothing else
#
# $LADDERBACK_BIN is the binary (built when not set). Each ARCHIVE is an address
# that a simulation is written to; the default is one new file. Needs Node and
# Python; what is installed goes into $LADDERBACK_CLIENTS, which may be kept
# (default: a temporary folder).
#
# What Schemathesis tries depends on the seed and on the number of examples a
# route, not on the machine's speed: LADDERBACK_SEEDS (default "1") and
# LADDERBACK_EXAMPLES (default 100). A long campaign is
#
#   LADDERBACK_SEEDS="2 3 4 5 6" LADDERBACK_EXAMPLES=1000 scripts/clients.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/venv.sh

say() { printf '\n== %s\n' "$*"; }
work=$(mktemp -d)
server=
cleanup() {
  local status=$?
  [ -z "$server" ] || kill -TERM "$server" 2>/dev/null || true
  [ $status -eq 0 ] || tail -n 40 "$work"/serve.log 2>/dev/null >&2 || true
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT

tools=${LADDERBACK_CLIENTS:-$work/tools}
say "installing the clients in $tools"
mkdir -p "$tools"
if [ ! -d "$tools/node_modules/@polyorderbooks/mcp-server" ]; then
  (cd "$tools" && npm install --silent --no-audit --no-fund --prefix "$tools" @polyorderbooks/mcp-server@0.2.3 >/dev/null)
fi
venv "$tools/venv" polyorderbooks==0.2.1 polymarketdata-sdk==0.1.0 schemathesis==4.32.5 \
  requests==2.34.2 polars==2.1.0 duckdb==2.0.0 pandas==3.1.1 pyarrow==26.0.1

[ "${1:-}" != --install ] || exit 0

bin=${LADDERBACK_BIN:-}
if [ -z "$bin" ]; then
  bin=$work/ladderback
  CGO_ENABLED=0 go build -o "$bin" ./cmd/ladderback
fi

free_port() { python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])'; }

# ready BASE waits until the server in $server answers.
ready() {
  for _ in $(seq 1200); do
    if curl -fs "$1/readyz" >/dev/null 2>&1; then return; fi
    kill -0 "$server"
    sleep 0.1
  done
}

# stopped ends the server, which ends with 0 when it stopped gracefully.
stopped() {
  kill -TERM "$server"
  wait "$server"
  server=
}

# documents runs the examples that users are given.
documents() {
  local port page
  say "examples of the documents"
  "$bin" simulate --quiet --markets 40 --coins BTC --types 15m --seed 5 --archive "$work/documents.db" >/dev/null
  port=$(free_port)
  "$bin" serve --archive "$work/documents.db" --local-key --addr "127.0.0.1:$port" --metrics-addr none >"$work/key" 2>"$work/serve.log" &
  server=$!
  ready "http://127.0.0.1:$port"
  "$bin" archive export captures quotes trades prices markets --quiet --archive "$work/documents.db" --out "$work/export" >/dev/null
  for page in docs/api.md docs/python.md; do
    LADDERBACK_EXPORT=$work/export LADDERBACK_URL=http://127.0.0.1:$port LADDERBACK_API_KEY=$(head -n 1 "$work/key") \
      "$tools/venv/bin/python" scripts/clients/docs.py "$page"
  done
  stopped
}

# exports reads every table back.
exports() {
  say "exports"
  "$bin" simulate --quiet --markets 6 --coins BTC,ETH --types 5m --rate 0.3 --ladder 5 --seed 5 --archive "$work/exports.db" >/dev/null
  "$tools/venv/bin/python" scripts/clients/exports.py "$bin" "$work/exports.db" "$work/exports"
}

# key PLAN ADDRESS prints a new key.
key() { "$bin" keys create --plan "$1" --name "$1-$RANDOM" --access "$2" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["key"])'; }

bounds=coverage, # of the first archive alone
run() { # run ARCHIVE ACCESS
  local archive=$1 access=$2 pro starter big port base slug id series start end token other seed
  say "server over $archive"
  "$bin" simulate --quiet --markets 12 --coins BTC,ETH --types 5m --seed 5 --archive "$archive" >/dev/null
  pro=$(key pro "$access") starter=$(key starter "$access") big=$(key enterprise "$access")
  port=$(free_port)
  base=http://127.0.0.1:$port
  "$bin" serve --archive "$archive" --access "$access" --addr "127.0.0.1:$port" --metrics-addr none 2>"$work/serve.log" &
  server=$!
  ready "$base"
  # A decided BTC round that was captured from its first second on.
  read -r slug id series start end token other < <(python3 - "$base" "$big" <<'PY'
import json, sys, urllib.request
base, key = sys.argv[1:]
def get(path, accept="application/json"):
    r = urllib.request.Request(base + path, headers={"X-API-Key": key, "Accept": accept})
    return urllib.request.urlopen(r).read().decode()
for m in json.loads(get("/v1/markets?include_closed=true&search=btc&sort=end_date&limit=100"))["data"]:
    window = f"start_ts={m['start_date']}&end_ts={m['end_date']}&resolution=1s"
    if m["status"] == "resolved" and all(
        get(f"/v1/markets/{m['slug']}/{kind}?{window}", "text/csv").count("\n") == rows + 1
        for kind, rows in (("prices", 600), ("metrics", 300))
    ):
        series = json.loads(get("/v1/markets/" + m["slug"]))["series_slug"]
        print(m["slug"], m["id"], series, m["start_date"], m["end_date"], *(t["id"] for t in m["tokens"]))
        break
PY
  )

  say "@polyorderbooks/mcp-server"
  POLYORDERBOOKS_BASE_URL=$base POLYORDERBOOKS_API_KEY=$pro \
    node scripts/clients/mcp.mjs "$tools/node_modules/@polyorderbooks/mcp-server/dist/index.js" "$slug" "$start" "$end"
  say "polyorderbooks, polymarketdata-sdk"
  "$tools/venv/bin/python" scripts/clients/sdks.py "$base" "$pro" "$starter" "$slug" "$start" "$end"

  say "Schemathesis"
  # A run that is done, for the routes of runs.
  kept=$(curl -fsS -H "Authorization: Bearer $big" "$base/v1/ai/backtests" \
    --data '{"prompt": "Buy BTC 5m Up when price is below 0.4, take profit at 0.6", "options": {"include": ["fills"]}}' |
    python3 -c 'import json,sys; print(json.load(sys.stdin)["id"])')
  curl -fsS -H "Authorization: Bearer $big" "$base/v1/ai/backtests/$kept?wait=60s" | grep -q '"state":"done"'
  swept=$(curl -fsS -H "Authorization: Bearer $big" "$base/v1/ai/sweeps" \
    --data '{"prompt": "Buy BTC 5m Up when price is below 0.4, take profit at 0.6", "vary": ["exit.take_profit=0.5:0.7:0.1"]}' |
    python3 -c 'import json,sys; print(json.load(sys.stdin)["id"])')
  curl -fsS -H "Authorization: Bearer $big" "$base/v1/ai/sweeps/$swept?wait=60s" | grep -q '"state":"done"'
  { cat scripts/clients/schemathesis.toml
    printf '\n[dictionaries]\n'
    printf '%s = { values = ["%s", "%s"] }\n' markets "$slug" "$id" tokens "$token" "$other" \
      starts "$start" "$(date -d "$start" +%s)" ends "$end" "$(date -d "$end" +%s)" events "$slug" nobody \
      series "$series" nobody
    printf 'runs = { values = ["%s", "%s"] }\ntrades = { values = ["1", "2"] }\n' "$kept" "$kept"
    printf 'sweeps = { values = ["%s", "%s"] }\n' "$swept" "$swept"
    printf 'prompts = { values = ["%s", "%s"] }\n' "Buy BTC 5m Up when price is below 0.4, take profit at 0.6" \
      "Buy ETH 5m Down below 30c in the last 2 minutes"
    printf '\n[auth.openapi.apiKey]\napi_key = "%s"\n\n[auth.openapi.bearer]\nbearer = "%s"\n' "$big" "$big"
  } >"$work/schemathesis.toml"
  # The phase of bounds is about what is refused before a store is asked. Sequences of requests
  # have a run of their own: after the other phases they end early.
  for seed in ${LADDERBACK_SEEDS:-1}; do
    for phases in "examples,${bounds}fuzzing" stateful; do
      (cd "$work" && PYTHONHASHSEED=0 "$tools/venv/bin/st" --config-file "$work/schemathesis.toml" run "$base/openapi.json" \
        --phases "$phases" --max-examples "${LADDERBACK_EXAMPLES:-100}" --suppress-health-check too_slow --seed "$seed")
    done
  done

  stopped
  bounds=
}

documents
exports
if [ $# -eq 0 ]; then set -- "$work/archive.db"; fi
for archive in "$@"; do
  run "$archive" "$archive"
done

say "the Python client"
LADDERBACK_BIN=$bin LADDERBACK_CLIENTS=$tools bash scripts/python.sh
say "all clients are content"
