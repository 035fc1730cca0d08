#!/usr/bin/env bash
# Makes a release in dist/: static binaries for Linux, macOS and Windows (amd64,
# arm64) in archives, packages of Debian and RPM, Python wheels, container images (for
# `docker load`, and as an OCI layout), a formula of Homebrew and a manifest of Scoop, a bill of
# materials (CycloneDX), provenance (in-toto, SLSA) and SHA256SUMS. Needs Go, and for the
# wheels Python and PyPI. The same commit, Go and key give the same bytes, wherever it is run.
#
#   scripts/release.sh [GOOS/GOARCH…]      a few platforms only
#
# LADDERBACK_DIST is the folder to write to (default dist; it is emptied). LADDERBACK_BINARIES
# is one that has the programs already, each in a folder GOOS_GOARCH (default: they are built).
# LADDERBACK_SIGNING_KEY is a private key on P-256 (PEM): with it SHA256SUMS and the provenance
# are signed, as `cosign verify-blob` and `cosign verify-blob-attestation` check.
# LADDERBACK_RELEASE_URL is where the artefacts will be found, LADDERBACK_BUILDER who packs.
set -euo pipefail
cd "$(dirname "$0")/.."

platforms=("$@")
[ $# -gt 0 ] || platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
out=${LADDERBACK_DIST:-dist}
version=$(sed -n 's/^const version = "\(.*\)"$/\1/p' cmd/ladderback/version.go)
[ -n "$version" ] || { echo "no version in cmd/ladderback/version.go" >&2; exit 1; }
# The commit's time is that of every file inside.
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
[ -z "$(git status --porcelain 2>/dev/null)" ] || echo "release: there are changes that are not committed" >&2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"
# The commit is in the binary where git knows it; -buildid= and -trimpath take out
# what differs from machine to machine.
for platform in "${platforms[@]}"; do
  goos=${platform%/*} goarch=${platform#*/}
  mkdir "$work/${goos}_$goarch"
  if [ -n "${LADDERBACK_BINARIES:-}" ]; then
    cp "$LADDERBACK_BINARIES/${goos}_$goarch"/ladderback* "$work/${goos}_$goarch/"
    continue
  fi
  echo "building $platform" >&2
  CGO_ENABLED=0 GOOS=$goos GOARCH=$goarch GOFLAGS= GOAMD64=v1 GOARM64=v8.0 go build -trimpath -buildvcs=auto \
    -ldflags '-s -w -buildid=' -o "$work/${goos}_$goarch/" ./cmd/ladderback
done
here=$work/$(go env GOHOSTOS)_$(go env GOHOSTARCH)/ladderback
if [ -x "$here" ]; then "$here" man --quiet "$work/man"; else GOFLAGS= go run ./cmd/ladderback man --quiet "$work/man"; fi
root=$PWD
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd scripts/release && go build -o "$work/release" .)
if python3 -c 'import venv, ensurepip' 2>/dev/null; then
  SOURCE_DATE_EPOCH=$time LADDERBACK_DIST=$out LADDERBACK_BINARIES=$work bash scripts/wheels.sh "${platforms[@]}"
else
  echo "release: no wheels, as there is no python3 with venv" >&2
fi
"$work/release" -version "$version" -time "$time" -bin "$work" -man "$work/man" -root "$root" -out "$out" \
  -url "${LADDERBACK_RELEASE_URL:-}" ${LADDERBACK_BUILDER:+-builder "$LADDERBACK_BUILDER"} -key "${LADDERBACK_SIGNING_KEY:-}"
ls -l "$out" >&2
