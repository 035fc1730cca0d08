#!/usr/bin/env bash
# Packs against an S3 server of another make, and killed at every step as often as
# ROUNDS says (default 100, hours; 0: only the short form). PostgreSQL is that of
# $LADDERBACK_TEST_POSTGRES; without it only the embedded store is tried.
#
#   scripts/packs.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-100}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOBIN=$work go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
export LADDERBACK_TEST_VERSITYGW=$work/versitygw

go test ./archive/pack -count=1 -run OtherServer -v
[ "$rounds" = 0 ] || export LADDERBACK_PACK_ROUNDS=$rounds
nice go test ./archive/pack -count=1 -run Crashes -v -timeout 48h
