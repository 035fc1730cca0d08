#!/usr/bin/env bash
# The page of the workbench: its types, its bytes, each of its components without a browser,
# and the page itself in one over the demo archive. Needs Node, npm and chromium
# (chromium-headless-shell, where it is there).
#
#   scripts/web.sh [NAME]
#
# NAME: only the tests whose name it is a part of. $LADDERBACK_BIN is the
# binary (built when not set), $CHROMIUM the browser (Debian's). $LADDERBACK_SLOW
# makes every page so many times slower than the machine (1): at 8, or with something
# else at work beside it, what passes by chance on a fast machine fails.
# $LADDERBACK_AXE=all looks at each screen with axe at six widths, light and dark, and at a
# zoom of 200 % (a few minutes); without it at the widths where other rules of style begin.
set -euo pipefail
cd "$(dirname "$0")/../web"

say() { printf '\n== %s\n' "$*"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say "page: packages"
npm ci --silent --no-audit --no-fund --ignore-scripts

say "page: types"
node_modules/.bin/openapi-typescript ../api/openapi.json -o "$work/api.gen.ts" >/dev/null
cmp "$work/api.gen.ts" src/api.gen.ts || { echo "the types of the API are old: npm run types" >&2; exit 1; }
npm run --silent check
node_modules/.bin/prettier --check --log-level warn src test build.mjs || { echo "not formatted: npm run format" >&2; exit 1; }

say "page: the bytes that are committed are those of the sources"
node build.mjs "$work/dist"
diff -r "$work/dist" dist || { echo "web/dist is old: npm run build" >&2; exit 1; }

say "page: each component by itself"
node --enable-source-maps --test-reporter=spec ${1:+--test-name-pattern="$1"} test/components.mjs

bin=${LADDERBACK_BIN:-}
if [ -z "$bin" ]; then
  bin=$work/ladderback
  (cd .. && CGO_ENABLED=0 go build -o "$bin" ./cmd/ladderback)
fi

mailbox=$work/mailbox
(cd .. && CGO_ENABLED=0 go build -o "$mailbox" ./internal/mailbox)

say "page: in a browser"
LADDERBACK_BIN=$bin LADDERBACK_MAILBOX=$mailbox node --test --test-concurrency=2 ${1:+--test-name-pattern="$1"} test/page.test.mjs test/accounts.test.mjs test/long.test.mjs test/parts.test.mjs
