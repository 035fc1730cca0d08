#!/usr/bin/env bash
# Makes the wheels of the Python client, a platform each, with the static program beside the
# client: `pip install` gives both. Needs Go and Python; hatchling comes from PyPI.
#
#   scripts/wheels.sh [GOOS/GOARCH…]      a few platforms only
#
# LADDERBACK_DIST is the folder to write to (default dist); LADDERBACK_BINARIES one that has
# the programs already, each in a folder GOOS_GOARCH (default: they are built). The same commit gives the same
# bytes with the same Go and the same hatchling.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/venv.sh

platforms=("$@")
[ $# -gt 0 ] || platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
# The program is static: the oldest tags that installers know, glibc and musl.
declare -A tags=(
  [linux/amd64]=manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64
  [linux/arm64]=manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64
  [darwin/amd64]=macosx_12_0_x86_64 [darwin/arm64]=macosx_12_0_arm64
  [windows/amd64]=win_amd64 [windows/arm64]=win_arm64
)
out=${LADDERBACK_DIST:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
venv "$work/venv" hatchling==1.33.0
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
for platform in "${platforms[@]}"; do
  [ -n "${tags[$platform]:-}" ] || { echo "wheels: $platform: expected one of ${!tags[*]}" >&2; exit 2; }
  goos=${platform%/*} goarch=${platform#*/}
  program=${LADDERBACK_BINARIES:+$LADDERBACK_BINARIES/${goos}_$goarch/ladderback}
  if [ -n "$program" ]; then
    [ "$goos" != windows ] || program=$program.exe
  else
    program=$work/$goos-$goarch
    echo "building $platform" >&2
    CGO_ENABLED=0 GOOS=$goos GOARCH=$goarch GOFLAGS= GOAMD64=v1 GOARM64=v8.0 go build -trimpath -buildvcs=auto \
      -ldflags '-s -w -buildid=' -o "$program" ./cmd/ladderback
  fi
  (cd clients/python && LADDERBACK_WHEEL="$program=${tags[$platform]}" "$work/venv/bin/python" -m hatchling build -t wheel -d "$out" >/dev/null)
done
ls -l "$out"/*.whl >&2
