#!/usr/bin/env bash
# Pages a second and their latency, over the socket: simulates an archive of 15m
# rounds with ladders of 50 levels a side, two books a second, serves it with keys
# and limits on, and asks for pages of 200 points at 1s from random places of
# random rounds, with wrk (Debian: apt-get install wrk) on the same machine.
#
#   scripts/load.sh [prices|books|metrics]
#
# $LADDERBACK_BIN is the binary (built when not set). Further:
#
#   MARKETS (default 200)      rounds
#   ARCHIVE                    a file or postgres://…; filled when it has no rounds
#                              (default: a temporary file)
#   DURATION (default 20s)     of the measurement, after 5 s to warm up
#   CONNECTIONS (default 16)   at a time
#   ENCODING (default identity) what Accept-Encoding says
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-prices}
case $kind in prices | books | metrics) ;; *) echo "usage: scripts/load.sh [prices|books|metrics]" >&2; exit 2 ;; esac
command -v wrk >/dev/null || { echo "wrk is not installed (Debian: apt-get install wrk)" >&2; exit 2; }

work=$(mktemp -d)
server=
cleanup() {
  local status=$?
  [ -z "$server" ] || { kill -TERM "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
  [ $status -eq 0 ] || tail -n 5 "$work"/serve.log 2>/dev/null >&2 || true
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT

bin=${LADDERBACK_BIN:-}
if [ -z "$bin" ]; then
  bin=$work/ladderback
  CGO_ENABLED=0 go build -o "$bin" ./cmd/ladderback
fi
archive=${ARCHIVE:-$work/load.db}
cat >"$work/config.yaml" <<'YAML'
addr: 127.0.0.1:0
metrics_addr: none
plans:
  - {name: Load, requests_per_minute: 100000000, requests_per_day: 1000000000, finest_resolution: 250ms,
     history_days: 36500, prices: true, metrics: true, books: true, bulk_points_per_day: 1000}
YAML
"$bin" -q simulate --markets "${MARKETS:-200}" --types 15m --rate 2 --archive "$archive" >/dev/null
# Keys and limits are in the archive's own file, as they are by default.
key=$("$bin" -q keys create --plan load --config "$work/config.yaml" --archive "$archive" | grep -o 'lb_[0-9A-Za-z]*' | head -1)
"$bin" serve --config "$work/config.yaml" --archive "$archive" 2>"$work/serve.log" >/dev/null &
server=$!
url=
for _ in $(seq 100); do
  url=$(grep -o 'http://127[0-9.:]*' "$work/serve.log" | head -1) && [ -n "$url" ] && break
  sleep 0.1
done
[ -n "$url" ] || { echo "the server did not start" >&2; exit 1; }

# id and start of every round.
cursor=
while :; do
  curl -sf -H "X-API-Key: $key" "$url/v1/markets?include_closed=true&limit=1000&cursor=$cursor" | python3 -c '
import datetime, json, sys
page = json.load(sys.stdin)
with open(sys.argv[1], "a") as out:
    for m in page["data"]:
        start = datetime.datetime.fromisoformat(m["start_date"].replace("Z", "+00:00"))
        print(m["id"], int(start.timestamp()), file=out)
print(page["metadata"]["next_cursor"] or "")' "$work/rounds" >"$work/cursor"
  cursor=$(cat "$work/cursor")
  [ -n "$cursor" ] || break
done

cat >"$work/pages.lua" <<'LUA'
local rounds = {}
for line in io.lines(os.getenv("ROUNDS")) do
  local id, start = line:match("(%S+) (%d+)")
  rounds[#rounds + 1] = {id = id, start = tonumber(start)}
end
math.randomseed(os.time())
wrk.headers["Authorization"] = "Bearer " .. os.getenv("KEY")
wrk.headers["Accept-Encoding"] = os.getenv("ENCODING")
request = function()
  local r = rounds[math.random(#rounds)]
  local from = r.start + math.random(0, 699) -- 200 s from there lie in the round
  return wrk.format("GET", string.format("/v1/markets/%s/%s?start_ts=%d&end_ts=%d&resolution=1s&limit=200",
    r.id, os.getenv("KIND"), from, r.start + 900))
end
done = function(s, latency)
  local seconds = s.duration / 1e6
  io.write(string.format("pages %d, %.0f a second, %.1f MB a second\n", s.requests, s.requests / seconds, s.bytes / seconds / 1e6))
  io.write(string.format("latency ms: median %.2f, p90 %.2f, p99 %.2f, most %.2f\n",
    latency:percentile(50) / 1e3, latency:percentile(90) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
  local e = s.errors
  io.write(string.format("not answered with 200: %d; errors of connections: %d\n", e.status, e.connect + e.read + e.write + e.timeout))
end
LUA
export ROUNDS=$work/rounds KEY=$key KIND=$kind ENCODING=${ENCODING:-identity}
ticks() { awk '{print $14 + $15}' "/proc/$server/stat"; }
load() { wrk --threads 1 --connections "${CONNECTIONS:-16}" --duration "$1" --timeout 10s --script "$work/pages.lua" "$url"; }
load 5s >/dev/null
before=$(ticks)
load "${DURATION:-20s}" | tee "$work/result" | grep -E '^(pages|latency|not)'
after=$(ticks)
pages=$(awk '/^pages/ {print $2 + 0}' "$work/result")
awk -v t=$((after - before)) -v hz="$(getconf CLK_TCK)" -v n="$pages" -v load="$(cut -d' ' -f1 /proc/loadavg)" -v cores="$(nproc)" 'BEGIN {
  printf "processor time of the server: %.3f ms a page; load of the machine %s on %d cores\n", t / hz * 1000 / n, load, cores }'
grep -q '^not answered with 200: 0; errors of connections: 0$' "$work/result"
