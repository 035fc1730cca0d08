#!/usr/bin/env bash
# The first report from an empty home, by each way of the README: go run, archive, wheel, image,
# package; the commands of docs/clients.md; and the signatures of the release. Each way but
# `go run`, which builds, has a minute.
#
#   scripts/firsts.sh [WAY…]       go archive wheel local image deb rpm client signatures bare
#
# LADDERBACK_DIST is a release for this machine, LADDERBACK_PUBLIC_KEY the key that it is signed
# with (default: one is made, and signed by a key of its own). The image is unpacked and entered
# with a user namespace, as no daemon is needed for that; deb and rpm are installed below a
# folder; `bare` is Debian without anything but Python, and needs
# root, debootstrap and the packages that the wheel needs, which pip fetches first: its own
# Python, or the one in the folder LADDERBACK_BARE_PYTHON, such as a 3.10. LADDERBACK_COSIGN is the
# program cosign (default: built), LADDERBACK_PYTHON the Python of the wheel (default python3).
# LADDERBACK_GOCACHE is a build cache that `go run` may use
# (default: none, as in an empty home).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
arch=$(go env GOARCH)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prompt='Buy Up on BTC 15m under 35c'

dist=${LADDERBACK_DIST:-}
public=${LADDERBACK_PUBLIC_KEY:-}
if [ -z "$dist" ]; then
  dist=$work/dist public=$work/public.pem
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$work/key.pem"
  openssl pkey -in "$work/key.pem" -pubout -out "$public"
  LADDERBACK_DIST=$dist LADDERBACK_SIGNING_KEY=$work/key.pem bash scripts/release.sh "linux/$arch"
fi
dist=$(cd "$dist" && pwd)
of() { # of ENDING: the one artefact with it
  local found
  found=$(find "$dist" -name "*$1")
  [ -f "$found" ] || { echo "firsts: $dist has no *$1" >&2; exit 1; }
  printf '%s\n' "$found"
}

# reports NAME COMMAND… makes the first report in an empty home, and says how long it took.
reports() {
  local name=$1 home=$work/home-$1 began=$EPOCHREALTIME
  shift
  mkdir "$home"
  (cd "$home" && env -i HOME="$home" PATH="/usr/local/go/bin:/usr/bin:/bin" "$@" >"$work/$name.txt" 2>"$work/$name.err") || {
    cat "$work/$name.err" >&2
    exit 1
  }
  grep -q 'trades' "$work/$name.txt" || { cat "$work/$name.txt" >&2; exit 1; }
  echo "$name: the first report after $(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $began }") s"
  [ "$name" = go ] || awk "BEGIN { exit !($EPOCHREALTIME - $began <= 60) }" || { echo "firsts: $name took longer than a minute" >&2; exit 1; }
}

# below FOLDER makes of a folder with a root of its own a place to run in, without root.
below() {
  printf '%s\0' unshare --map-root-user --root "$1" --wd /tmp
}

first_go() {
  local flags=-modcacherw
  [ -z "${LADDERBACK_GOCACHE:-}" ] || flags="$flags $(go env GOFLAGS)"
  reports go env ${LADDERBACK_GOCACHE:+GOCACHE="$LADDERBACK_GOCACHE"} GOFLAGS="$flags" CGO_ENABLED="$(go env CGO_ENABLED)" GOMODCACHE="$(go env GOMODCACHE)" GOPROXY="$(go env GOPROXY)" go -C "$root" run ./cmd/ladderback backtest "$prompt"
}

first_archive() {
  mkdir "$work/archive"
  tar xzf "$(of "linux_$arch.tar.gz")" -C "$work/archive"
  reports archive "$work"/archive/*/ladderback backtest "$prompt"
}

first_wheel() {
  "${LADDERBACK_PYTHON:-python3}" -m venv "$work/wheel"
  "$work/wheel/bin/pip" install -q "$(of "py3-none-manylinux2014_$(uname -m).*.whl")"
  reports wheel "$work/wheel/bin/ladderback" backtest "$prompt"
}

first_local() {
  [ -d "$work/wheel" ] || first_wheel
  reports local "$work/wheel/bin/python" -c "import ladderback; print(ladderback.local().backtest('$prompt'))"
}

first_image() {
  mkdir -p "$work/oci" "$work/image"
  tar xf "$(of "image_linux_$arch.tar")" -C "$work/oci"
  local layer command
  for layer in $(python3 -c 'import json,sys; print(*json.load(open(sys.argv[1]))[0]["Layers"])' "$work/oci/manifest.json"); do
    tar xf "$work/oci/$layer" -C "$work/image" --no-same-owner
  done
  mapfile -d '' command < <(below "$work/image")
  reports image env LADDERBACK_CACHE=/tmp "${command[@]}" /ladderback backtest "$prompt"
}

first_deb() {
  mkdir "$work/deb"
  dpkg --extract "$(of "linux_$arch.deb")" "$work/deb"
  [ -f "$work/deb/usr/share/man/man1/ladderback.1" ]
  reports deb "$work/deb/usr/bin/ladderback" backtest "$prompt"
}

first_rpm() {
  mkdir "$work/rpm"
  rpm --dbpath "$work/rpmdb" --root "$work/rpm" -i --nodeps --ignorearch "$(of "linux_$arch.rpm")"
  rpm --dbpath "$work/rpmdb" --root "$work/rpm" --verify ladderback
  reports rpm "$work/rpm/usr/bin/ladderback" backtest "$prompt"
}

# client: the commands of docs/clients.md for Go, with the archive's program and its demo.
first_client() {
  local program port
  [ -d "$work/home-archive" ] || first_archive
  program=$(dirname "$(echo "$work"/archive/*/ladderback)")
  awk '/^## Go/ { go = 1 } /^## Python/ { exit } /^```/ { sh = go && /sh$/; next } sh' docs/clients.md |
    sed "s| key\\>| $work/key|" >"$work/client.sh"
  port=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])')
  PATH=$program:$PATH LADDERBACK_ADDR=127.0.0.1:$port LADDERBACK_URL=http://127.0.0.1:$port LADDERBACK_METRICS_ADDR=none LADDERBACK_CACHE=$work/home-archive/.cache/ladderback \
    bash -euc "trap 'kill \$(jobs -p)' EXIT; . '$work/client.sh'" >"$work/client.txt" 2>"$work/client.err" || { cat "$work/client.err" >&2; exit 1; }
  grep -q 'trades in 50 markets' "$work/client.txt" || { cat "$work/client.txt" >&2; exit 1; }
  echo "client: $(tail -n 1 "$work/client.txt")"
}

# signatures: what was signed is believed, and what was changed is not.
first_signatures() {
  local cosign=${LADDERBACK_COSIGN:-} version subject
  if [ -z "$cosign" ]; then
    GOBIN=$work go install github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3
    cosign=$work/cosign
  fi
  version=$(of _provenance.json)
  (cd "$dist" && sha256sum --check --quiet SHA256SUMS)
  "$cosign" verify-blob --key "$public" --bundle "$dist/SHA256SUMS.sigstore.json" --insecure-ignore-tlog "$dist/SHA256SUMS"
  subject=$(of "linux_$arch.tar.gz")
  "$cosign" verify-blob-attestation --key "$public" --bundle "${version%.json}.sigstore.json" --insecure-ignore-tlog \
    --type slsaprovenance1 "$subject"
  { cat "$dist/SHA256SUMS"; echo; } >"$work/changed"
  if "$cosign" verify-blob --key "$public" --bundle "$dist/SHA256SUMS.sigstore.json" --insecure-ignore-tlog "$work/changed" 2>/dev/null ||
    "$cosign" verify-blob-attestation --key "$public" --bundle "${version%.json}.sigstore.json" --insecure-ignore-tlog --type slsaprovenance1 "$work/changed" 2>/dev/null; then
    echo "firsts: what was changed is believed" >&2
    exit 1
  fi
  echo "signatures: believed by cosign; what was changed is not"
}

# bare: the oldest Debian whose Python the client takes, or with an older Python.
first_bare() {
  local wheels=$work/bare/wheels python=python3
  debootstrap --variant=minbase --include=python3,python3-venv bookworm "$work/bare" >"$work/bare.log" || { tail "$work/bare.log" >&2; exit 1; }
  if [ -n "${LADDERBACK_BARE_PYTHON:-}" ]; then
    mkdir "$work/bare/opt/python"
    cp -a "$LADDERBACK_BARE_PYTHON/." "$work/bare/opt/python"
    python=/opt/python/bin/python3
  fi
  mkdir "$wheels"
  cp "$(of "py3-none-manylinux2014_$(uname -m).*.whl")" "$wheels"
  # What it needs depends on the Python, which therefore fetches it.
  "${LADDERBACK_BARE_PYTHON:+$LADDERBACK_BARE_PYTHON/bin/}python3" -m pip download -q --only-binary :all: -d "$wheels" 'httpx==0.28.1' 'polars>=2' ||
    { echo "firsts: python3 does not fetch what the wheel needs" >&2; exit 1; }
  cat >"$work/bare/first.sh" <<'SH'
set -e
$PYTHON -m venv /tmp/venv
/tmp/venv/bin/pip install -q --no-index --find-links /wheels 'ladderback[polars]'
cd /tmp
/tmp/venv/bin/ladderback backtest "$1"
/tmp/venv/bin/python -c '
import sys, ladderback
with ladderback.local() as client:
    slug = client.backtest(sys.argv[1]).trades["market_slug"][0]
    assert client.prices(slug).to_polars().height > 1000
print("Python", sys.version)' "$1"
SH
  reports bare "$(command -v chroot)" --userspec=65534:65534 "$work/bare" \
    env HOME=/tmp PYTHON=$python LD_LIBRARY_PATH=/opt/python/lib bash /first.sh "$prompt"
  grep '^Python' "$work/bare.txt"
}

[ $# -gt 0 ] || set -- go archive wheel local image deb rpm client signatures
for way in "$@"; do
  "first_$way"
done
