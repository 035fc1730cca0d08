#!/usr/bin/env bash
# Runs the whole test suite on a Debian machine that has Go: installs what the
# tests need, starts a PostgreSQL of its own, and checks everything. Nothing is
# left running. As root (for apt-get); PostgreSQL itself runs as another user.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

go version >/dev/null 2>&1 || { echo "Go is needed: https://go.dev/dl (the version in go.mod or newer)" >&2; exit 1; }

work=$(mktemp -d)
cleanup() {
  local status=$?
  if [ -f "$work/pg/data/postmaster.pid" ]; then
    kill -INT "$(head -n 1 "$work/pg/data/postmaster.pid")" 2>/dev/null || true
  fi
  rm -rf "$work" 2>/dev/null || true
  exit $status
}
trap cleanup EXIT

# installs NAME...: Debian packages, once.
updated=
installs() {
  [ "$(id -u)" = 0 ] || { echo "these Debian packages are needed: $*" >&2; exit 1; }
  [ -n "$updated" ] || apt-get update -qq
  updated=1
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

# A connection pooler that tests put in front of the server.
pooler() { [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null || installs pgbouncer; }

# What the outside clients need.
client_tools() {
  command -v curl >/dev/null || installs curl
  command -v npm >/dev/null || installs nodejs npm
  python3 -c 'import ensurepip' 2>/dev/null || installs python3 python3-venv
}

# PostgreSQL: Debian's server, in a folder of ours, as a user that is not root.
pgbin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }
start_postgres() {
  if [ -n "${LADDERBACK_TEST_POSTGRES:-}" ]; then return; fi
  if [ -z "$(pgbin)" ]; then
    say "installing PostgreSQL"
    installs postgresql
  fi
  local bin user dir
  bin=$(pgbin)
  dir=$work/pg
  mkdir -p "$dir"
  user=$(id -un)
  if [ "$user" = root ]; then
    user=postgres
    chmod 711 "$work"
    chown postgres "$dir"
  fi
  as() { if [ "$(id -un)" = root ]; then setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"; else "$@"; fi; }
  (cd "$dir" && as "$bin/initdb" -D "$dir/data" -U ladderback -A trust --no-sync -E UTF8 --locale=C.UTF-8 >/dev/null)
  cat >>"$dir/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$dir'
max_connections = 100
fsync = off
CONF
  (cd "$dir" && as "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" start >/dev/null)
  export LADDERBACK_TEST_POSTGRES="postgres://ladderback@/postgres?host=$dir"
  "$bin/psql" -q -h "$dir" -U ladderback postgres -c 'CREATE DATABASE clients'
  client_archives+=("postgres://ladderback@/clients?host=$dir")
}
client_archives=("$work/clients.db")

say "modules"
go mod download

say "PostgreSQL"
start_postgres
pooler
echo "$LADDERBACK_TEST_POSTGRES"

say "format, vet, staticcheck"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "not formatted by gofmt: $unformatted" >&2; exit 1; }
go vet ./...
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./... || exit 1

say "build"
CGO_ENABLED=0 go build -o "$work/ladderback" ./cmd/ladderback
export LADDERBACK_BIN="$work/ladderback"

say "tests"
export LADDERBACK_CACHE="$work/cache"
go test -timeout 15m ./...
(cd scripts/release && go vet . && go test .)

say "clients that others wrote"
client_tools
bash scripts/clients.sh "${client_archives[@]}"

say "the page, in a browser"
[ -x /usr/bin/chromium ] || installs chromium
bash scripts/web.sh
