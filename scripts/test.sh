#!/usr/bin/env bash
# Runs the whole test suite on a Debian machine that has Go: installs what the
# tests need, starts a PostgreSQL of its own, and checks everything. Nothing is
# left running. As root (for apt-get); PostgreSQL itself runs as another user.
#
# A test that needs something which this script brings fails when it is not there
# ($CI) rather than being skipped; what may still be skipped is listed in
# docs/internals/testing.md.
set -euo pipefail
cd "$(dirname "$0")/.."
export CI=1
. scripts/server.sh

say() { printf '\n== %s\n' "$*"; }

go version >/dev/null 2>&1 || { echo "Go is needed: https://go.dev/dl (the version in go.mod or newer)" >&2; exit 1; }

work=$(mktemp -d)
cleanup() {
  local status=$?
  [ -z "${beside:-}" ] || kill "$beside" 2>/dev/null || true
  stop_server "$work/pg"
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

# Servers that others wrote, for the tests: an S3 server over a folder, and a mail
# server in Python.
other_servers() {
  GOBIN=$work/bin go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
  export LADDERBACK_TEST_VERSITYGW=$work/bin/versitygw
  python3 -m venv "$work/mail"
  "$work/mail/bin/pip" install -q aiosmtpd==1.4.6
  export LADDERBACK_AIOSMTPD=$work/mail/bin/python
}

# What the outside clients need.
client_tools() {
  command -v curl >/dev/null || installs curl
  command -v npm >/dev/null || installs nodejs npm
  command -v java >/dev/null || installs default-jre-headless # for openapi-generator
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
  local dir=$work/pg
  start_server "$(pgbin)" "$dir"
  export LADDERBACK_TEST_POSTGRES="postgres://ladderback@/postgres?host=$dir"
  "$(pgbin)/psql" -q -h "$dir" -U ladderback postgres -c 'CREATE DATABASE clients'
  client_archives+=("postgres://ladderback@/clients?host=$dir")
}
client_archives=("$work/clients.db")

say "modules"
go mod download

say "servers"
start_postgres
pooler
client_tools
other_servers
echo "$LADDERBACK_TEST_POSTGRES"

say "format, vet, staticcheck"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "not formatted by gofmt: $unformatted" >&2; exit 1; }
go vet ./...
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./... || exit 1

say "build"
CGO_ENABLED=0 go build -ldflags '-s -w' -o "$work/ladderback" ./cmd/ladderback
export LADDERBACK_BIN="$work/ladderback"

say "tests"
export LADDERBACK_CACHE="$work/cache"
go test -timeout 15m ./...
(cd scripts/release && go vet . && go test .)

# The program as it was built stands for a release's; go run may use what was built.
say "the first report by each way, from an empty home, and beside it clients that generators make"
bash scripts/generators.sh >"$work/generators.log" 2>&1 &
beside=$!
arch=$(go env GOARCH)
mkdir -p "$work/binaries/linux_$arch"
cp "$work/ladderback" "$work/binaries/linux_$arch/"
LADDERBACK_BINARIES=$work/binaries LADDERBACK_DIST=$work/dist bash scripts/release.sh "linux/$arch"
LADDERBACK_DIST=$work/dist LADDERBACK_GOCACHE=$(go env GOCACHE) bash scripts/firsts.sh go archive wheel image deb client
wait "$beside" || { cat "$work/generators.log" >&2; exit 1; }
beside=
cat "$work/generators.log"

say "clients that others wrote, and beside them the page in a browser"
[ -x /usr/bin/chromium ] || installs chromium
bash scripts/web.sh >"$work/web.log" 2>&1 &
beside=$!
clients=0 page=0
nice -n 10 bash scripts/clients.sh "${client_archives[@]}" || clients=$?
wait "$beside" || page=$?
beside=
cat "$work/web.log"

[ "$clients" = 0 ] || echo "scripts/clients.sh failed: $clients" >&2
[ "$page" = 0 ] || echo "scripts/web.sh failed: $page" >&2
exit $((clients | page))
