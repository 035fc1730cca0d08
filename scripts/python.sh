#!/usr/bin/env bash
# The Python client of clients/python: style, types, the examples in its words, its tests
# against the real server, the notebooks, and its wheel, installed where nothing else is.
#
#   scripts/python.sh      or --install, which does nothing else
#
# $LADDERBACK_BIN is the binary (built when not set); what is installed goes into
# $LADDERBACK_CLIENTS, which may be kept (default: a temporary folder).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/venv.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=${LADDERBACK_CLIENTS:-$work/tools}
venv "$tools/python" hatchling==1.33.0 httpx==0.28.1 ipykernel==7.4.0 mypy==2.4.1 nbclient==0.11.0 openapi-core==0.23.1 \
  pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1 pytest==9.2.0 ruff==0.17.6
[ "${1:-}" != --install ] || exit 0

if [ -z "${LADDERBACK_BIN:-}" ]; then
  export LADDERBACK_BIN=$work/ladderback
  CGO_ENABLED=0 go build -o "$LADDERBACK_BIN" ./cmd/ladderback
fi
cd clients/python
export PATH=$tools/python/bin:$PATH PYTHONDONTWRITEBYTECODE=1
ruff check --no-cache .
ruff format --no-cache --check .
mypy --cache-dir "$work/mypy"
python -m pytest -p no:cacheprovider -p no:asyncio --doctest-modules --ignore=tools src tests

# The wheel carries the program: installed into an empty home, it needs no other.
LADDERBACK_WHEEL="$LADDERBACK_BIN=manylinux2014_$(uname -m)" python -m hatchling build -t wheel -d "$work/dist" >/dev/null
mkdir "$work/home"
cd "$work/home"
venv "$work/wheel" "$work"/dist/*.whl
env -i HOME="$work/home" PATH="$work/wheel/bin:/usr/bin:/bin" python -c '
import subprocess, ladderback
subprocess.run(["ladderback", "simulate", "--quiet", "--markets", "40", "--coins", "BTC", "--types", "5m", "--archive", "real.db"], check=True, stdout=subprocess.DEVNULL)
with ladderback.local("real.db") as client:
    report = client.backtest("Buy Up on BTC 5m under 45 cents, take profit at 60c, last 20 markets")
assert report.verdict and "lb_" not in repr(client), report
print("the wheel:", report)'
