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
# As releases are built: everything is compiled once, without what debuggers need.
export CGO_ENABLED=0 GOFLAGS=-gcflags=all=-dwarf=false
# The lint and the tests collect garbage a third as often, the compiler and the linker only
# when they hold much: a tenth to a fifth less of a processor for a few hundred MB more. Programs
# that tests start do not.
seldom=(env GOGC=300 GOMEMLIMIT=2GiB)
tools='env GOGC=off GOMEMLIMIT=2GiB'
. scripts/server.sh
. scripts/venv.sh

# say WHAT… heads what follows, with the seconds since the start.
say() { printf '\n== %s (%d s)\n' "$*" $SECONDS; }

go version >/dev/null 2>&1 || { echo "Go is needed: https://go.dev/dl (the version in go.mod or newer)" >&2; exit 1; }

declare -A jobs=()
work=$(mktemp -d)
# The files of the tests and of PostgreSQL: in memory where there is much of it and programs run
# from there. They are made and removed by the ten thousand, which on a disk is a fifth of what
# the tests of archives take of a processor.
files=$work/files
room() { [ "$1" -ge $((8 << 20)) ]; }
if room "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" && room "$(df -k --output=avail /dev/shm | tail -n 1)" &&
  files=$(mktemp -d /dev/shm/lb-XXXX) && ! { cp /bin/true "$files" && "$files/true"; }; then
  rm -rf "$files"
  files=$work/files
fi
mkdir -p "${files:=$work/files}"
chmod 711 "$work" "$files"
cleanup() {
  local status=$?
  for job in "${jobs[@]}"; do kill -- "-$job" 2>/dev/null || true; done
  stop_server "$files/pg"
  rm -rf "$work" "$files" 2>/dev/null || true
  exit $status
}
trap cleanup EXIT

# What the tests need of the distribution: PostgreSQL, a connection pooler that tests put in
# front of it, the page's browser, and what the outside clients run in; and of PyPI, a mail server
# that others wrote. (What outside clients and the page need comes when they are tested.)
export LADDERBACK_UV=$work/uv LADDERBACK_AIOSMTPD=$work/mail/bin/python LADDERBACK_CLIENTS=$work/clients
pgbin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }
packages() {
  local missing=()
  [ -n "${LADDERBACK_TEST_POSTGRES:-}" ] || [ -n "$(pgbin)" ] || missing+=(postgresql)
  [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
  [ -x /usr/bin/chromium-headless-shell ] || missing+=(chromium-headless-shell fonts-liberation)
  command -v curl >/dev/null || missing+=(curl ca-certificates)
  command -v npm >/dev/null || missing+=(nodejs npm ca-certificates)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3 python3-venv)
  if [ ${#missing[@]} -gt 0 ]; then
    [ "$(id -u)" = 0 ] || { echo "these Debian packages are needed: ${missing[*]}" >&2; exit 1; }
    apt-get update -qq
    # What is recommended beside them is as much again, compilers and printers among it.
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  venv "$work/mail" aiosmtpd==1.4.6
}

# beside NAME COMMAND… runs a command beside what follows, in a group of processes of its own;
# joined NAME waits for it and shows what it said.
beside() {
  set -m
  "${@:2}" </dev/null >"$work/$1.log" 2>&1 &
  set +m
  jobs[$1]=$!
}
joined() {
  local status=0
  wait "${jobs[$1]}" || status=$?
  unset "jobs[$1]"
  cat "$work/$1.log"
  [ $status = 0 ] || { echo "$1 failed: $status" >&2; return $status; }
}

# PostgreSQL: Debian's server, in a folder of ours, as a user that is not root.
start_postgres() {
  if [ -n "${LADDERBACK_TEST_POSTGRES:-}" ]; then return; fi
  local dir=$files/pg
  start_server "$(pgbin)" "$dir" "$files/empty"
  export LADDERBACK_TEST_POSTGRES_EMPTY=$files/empty
  export LADDERBACK_TEST_POSTGRES="postgres://ladderback@/postgres?host=$dir"
  "$(pgbin)/psql" -q -h "$dir" -U ladderback postgres -c 'CREATE DATABASE clients'
  client_archives+=("postgres://ladderback@/clients?host=$dir")
}
client_archives=("$work/clients.db")

say "format"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "not formatted by gofmt: $unformatted" >&2; exit 1; }

say "modules and build, beside packages"
beside packages packages
go mod download
go build -toolexec "$tools" -ldflags '-s -w' -o "$work/ladderback" ./cmd/ladderback
export LADDERBACK_BIN="$work/ladderback"

say "servers"
joined packages
start_postgres
echo "$LADDERBACK_TEST_POSTGRES"

# The page, and behind it clients that a generator makes and that others wrote, with a tenth of
# the examples of each route that a campaign begins with.
others() {
  bash scripts/web.sh
  bash scripts/generators.sh openapi-python-client
  LADDERBACK_EXAMPLES=10 bash scripts/clients.sh "${client_archives[@]}"
}

# A release for this machine, of which the program as it was built is the binary.
release() {
  (cd scripts/release && go test -toolexec "$tools" -vet all .)
  local arch
  arch=$(go env GOARCH)
  mkdir -p "$work/binaries/linux_$arch"
  cp "$work/ladderback" "$work/binaries/linux_$arch/"
  LADDERBACK_BINARIES=$work/binaries LADDERBACK_DIST=$work/dist nice -n 10 bash scripts/release.sh "linux/$arch"
}

# The first report by each way, from an empty home; go run may use what was built.
first_reports() {
  joined release
  LADDERBACK_DIST=$work/dist LADDERBACK_GOCACHE=$(go env GOCACHE) bash scripts/firsts.sh go archive wheel image deb client
}

export LADDERBACK_CACHE="$work/cache"
say "tests, and beside them the page and then outside clients, lint, a release"
beside others others
beside release release
beside lint nice -n 10 "${seldom[@]}" bash -c 'go build -C scripts/lint -o "$0" . && exec "$0" ./...' "$work/lint"
# Three at once, as the longest wait for other processes more than they work; without vet, which
# lint has.
TMPDIR=$files "${seldom[@]}" go test -toolexec "$tools" -p 3 -vet off -timeout 15m ./...
say "the first report by each way"
first_reports
say "lint, the page, outside clients"
joined lint
joined others
