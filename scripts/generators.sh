#!/usr/bin/env bash
# Clients that generators make of the OpenAPI document: each is made without a warning of the
# document, compiled, and makes eleven calls to the real server over real captures, a backtest
# and a kept run among them; what it read is what the server wrote.
#
#   scripts/generators.sh [GENERATOR…]
#
# A GENERATOR is one of openapi-python-client, oapi-codegen, python, go, typescript (the last
# three of openapi-generator, which needs Java; typescript needs npm). Captures are those of
# $LADDERBACK_REAL_DATA, or of a folder beside the tree; without any they are simulated.
# $LADDERBACK_BIN is the binary (built when not set). What is installed goes into
# $LADDERBACK_GENERATORS, which may be kept (default: a temporary folder).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/venv.sh
here=$PWD/scripts/generators document=$PWD/api/openapi.json

work=$(mktemp -d)
server=
cleanup() {
  local status=$?
  [ -z "$server" ] || kill -TERM "$server" 2>/dev/null || true
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT
tools=${LADDERBACK_GENERATORS:-$work/tools}

bin=${LADDERBACK_BIN:-}
if [ -z "$bin" ]; then
  bin=$work/ladderback
  CGO_ENABLED=0 go build -o "$bin" ./cmd/ladderback
fi
real=
for folder in ${LADDERBACK_REAL_DATA:+"$LADDERBACK_REAL_DATA"} ../*/data; do
  [ -n "$real" ] || [ ! -f "$folder/polymarket-btc-5m/markets.jsonl" ] || real=$folder/polymarket-btc-5m
done
if [ -n "$real" ]; then
  "$bin" import --quiet --archive "$work/archive.db" "$real/markets.jsonl" "$real"/captures/*.jsonl.gz >/dev/null
else
  "$bin" simulate --quiet --markets 24 --coins BTC,ETH --types 5m --seed 5 --archive "$work/archive.db" >/dev/null
fi
port=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])')
base=http://127.0.0.1:$port
"$bin" serve --archive "$work/archive.db" --local-key --addr "127.0.0.1:$port" --metrics-addr none >"$work/key" 2>"$work/serve.log" &
server=$!
for _ in $(seq 600); do
  if curl -fs "$base/readyz" >/dev/null 2>&1; then break; fi
  kill -0 "$server"
  sleep 0.1
done
key=$(head -n 1 "$work/key")

# installs PACKAGE…: of PyPI.
installs() { venv "$tools/venv" "$@"; }

# quietly COMMAND… fails on a warning too. What openapi-generator warns of whatever the
# document says is left out: that it does not know 3.1 for long, that it makes no examples of
# streams, a name that it looks for and does not need, and that of fields called `from`.
quietly() {
  "$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
  if grep -iE '\bwarn|\berror|skipping' "$work/said" |
    grep -vE 'OpenAPI 3.1 support is still in beta|No application/json content media type found|Failed to get the schema name: null|From \(reserved word\)|writing file|Inline schema created'; then
    echo "generators: the document is not taken without a warning" >&2
    exit 1
  fi
}

# openapi_generator NAME FOLDER OPTION…
openapi_generator() {
  installs openapi-generator-cli==7.23.0
  quietly java -jar "$(echo "$tools"/venv/lib/python3*/site-packages/openapi_generator_cli/openapi-generator.jar)" generate \
    -g "$1" -i "$document" -o "$2" "${@:3}"
}

# compiled FOLDER PROGRAM MODULE…: a client in Go, in FOLDER/api, and its ten calls.
compiled() {
  cp "$here/testdata/$2.go" "$1/main.go"
  cp "$here/testdata/exact.go" "$1"
  printf 'module generated\n\ngo 1.26\n' >"$1/go.mod"
  (
    cd "$1"
    export GOFLAGS=-mod=mod
    [ $# -lt 3 ] || go get "${@:3}" 2>/dev/null
    go mod tidy 2>/dev/null
    if grep -rn float32 api --include '*.go' --exclude utils.go; then
      echo "generators: $2 makes a price a float32" >&2
      exit 1
    fi
    go build -o calls .
    ./calls "$base" "$key"
  )
}

make_openapi-python-client() {
  installs openapi-python-client==0.29.1
  PATH=$tools/venv/bin:$PATH quietly openapi-python-client generate --meta none --path "$document" --output-path "$work/ladderback_client"
  PYTHONPATH=$work "$tools/venv/bin/python" "$here/openapi_python_client.py" "$base" "$key"
}

make_oapi-codegen() {
  mkdir -p "$work/oapi/api"
  quietly go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package api \
    -o "$work/oapi/api/client.go" "$document"
  compiled "$work/oapi" oapi_codegen github.com/oapi-codegen/runtime@v1.8.0
}

make_python() {
  openapi_generator python "$work/python"
  installs 'pydantic>=2.11' 'python-dateutil>=2.8.2' 'urllib3>=2.1.0,<3' 'typing-extensions>=4.7.1'
  PYTHONPATH=$work/python "$tools/venv/bin/python" "$here/openapi_generator.py" "$base" "$key"
}

make_go() {
  # Answers are open to fields to come: the generator has to be told that they may be.
  openapi_generator go "$work/go/api" --additional-properties=packageName=api,disallowAdditionalPropertiesIfNotPresent=false
  rm -rf "$work/go/api/go.mod" "$work/go/api/go.sum" "$work/go/api/test"
  compiled "$work/go" openapi_generator gopkg.in/validator.v2@v2.0.1
}

make_typescript() {
  # The names of the API, as others collide in its code. Its code has one implicit any.
  openapi_generator typescript-fetch "$work/typescript/api" --additional-properties=modelPropertyNaming=original,paramNaming=original
  mkdir -p "$tools/typescript"
  [ -x "$tools/typescript/node_modules/.bin/esbuild" ] ||
    npm install --silent --no-audit --no-fund --prefix "$tools/typescript" typescript@5.9.3 esbuild@0.28.2 @types/node@24.10.1 >/dev/null
  ln -s "$tools/typescript/node_modules" "$work/typescript/node_modules"
  cp "$here/openapi_generator.ts" "$work/typescript/main.ts"
  (
    cd "$work/typescript"
    node_modules/.bin/tsc --noEmit --strict --noImplicitAny false --target es2022 --module esnext --moduleResolution bundler --types node main.ts api/index.ts
    node_modules/.bin/esbuild main.ts --bundle --platform=node --format=esm --log-level=error --outfile=main.mjs
    node main.mjs "$base" "$key"
  )
}

[ $# -gt 0 ] || set -- openapi-python-client oapi-codegen python go typescript
for generator in "$@"; do
  [ "$(type -t "make_$generator")" = function ] || { echo "generators: $generator: expected openapi-python-client, oapi-codegen, python, go or typescript" >&2; exit 2; }
  "make_$generator"
done
