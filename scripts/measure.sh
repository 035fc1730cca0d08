#!/usr/bin/env bash
# measure.sh measures the engine on this machine and prints one table: what was aimed
# at, what was measured, and the ratio.
#
#   scripts/measure.sh --prepare CAPTURES WORK   makes the archives; some minutes, once
#   scripts/measure.sh WORK                      measures; under 8 minutes
#
# CAPTURES holds markets.jsonl and captures/ of real five-minute rounds. With
# POSTGRES=postgres://… (a database of its own) the thousand rounds are measured from
# there too. TIMES=3 repetitions, of which the fastest counts; PYTHON=python with
# bench/peers/requirements.txt adds the peers' table.
set -euo pipefail
cd "$(dirname "$0")/.."

times=${TIMES:-3}

lb() { "$work/ladderback" "$@" --quiet; }

# prepare CAPTURES: archives that are not there yet.
prepare() {
	mkdir -p "$work"
	CGO_ENABLED=0 go build -o "$work/ladderback" ./cmd/ladderback # as releases are
	[ -e "$work/real.db" ] || lb import --archive "$work/real.db" "$1" >/dev/null
	[ -e "$work/sim.db" ] || lb simulate --coins BTC --types 15m --markets 1000 --rate 11.1 --archive "$work/sim.db" >/dev/null
	[ -e "$work/many.db" ] || lb simulate --coins BTC --types 15m --markets 10000 --rate 1.11 --archive "$work/many.db" >/dev/null
	[ -e "$work/few.db" ] || lb simulate --coins BTC --types 15m --markets 1000 --rate 1.11 --archive "$work/few.db" >/dev/null
	if [ ! -e "$work/large.db" ]; then
		cp "$work/few.db" "$work/large.tmp"
		lb simulate --coins ETH --types 15m --markets 99000 --rate 0.0111 --archive "$work/large.tmp" >/dev/null
		mv "$work/large.tmp" "$work/large.db"
	fi
	[ -z "${POSTGRES:-}" ] || lb archive copy "$work/sim.db" "$POSTGRES" >/dev/null
}

# fastest COMMAND…: wall, processor seconds and MB of the fastest of $times runs.
fastest() {
	local i
	for ((i = 0; i < times; i++)); do
		/usr/bin/time -f '%e %U %S %M' -o "$work/time" "$@" >/dev/null 2>"$work/err" || { cat "$work/err" >&2; exit 1; }
		tail -1 "$work/time"
	done | sort -n | awk 'NR == 1 { printf "%.2f %.2f %d\n", $1, $2 + $3, $4 / 1024 }'
}

# row NAME AIM MEASURED UNIT [MORE]: a line of the table; the ratio is measured ÷ aim.
row() {
	awk -v n="$1" -v a="$2" -v m="$3" -v u="$4" -v more="${5:-}" \
		'BEGIN { printf "| %s | %s%s | %s%s | %.2f | %s |\n", n, a, u, m, u, m / a, more }'
}

# over ROUNDS ARCHIVE EXITS [MORE]: a backtest as a command.
over() {
	fastest "$work/ladderback" backtest "Buy Up on BTC 15m when Up ask is below 40 cents${4:-} after 1 minute, $3, \$20 per trade, last $1 markets" \
		--archive "$2" --quiet --json
}

# figure FILE NAME FIELD: of a document of bench.
figure() {
	python3 -c 'import json, sys
print(next(f[sys.argv[3]] for f in json.load(open(sys.argv[1]))["figures"] if f["name"] == sys.argv[2]))' "$@"
}

in_process() {
	local one many
	"$work/ladderback" bench --archive "$work/real.db" --rounds 83 --times 9 --only peers --quiet >"$work/peers.json"
	one=$(figure "$work/peers.json" "peers: a stop and a target" wall_seconds)
	many=$(figure "$work/peers.json" "peers: 100 variants" wall_seconds)
	row "The 83 real markets, a stop and a target, in process" 22 "$(awk -v s="$one" 'BEGIN { printf "%.1f", s * 1000 }')" " ms"
	row "100 variants of the same" 130 "$(awk -v s="$many" 'BEGIN { printf "%.1f", s * 1000 }')" " ms"
}

decoding() {
	local name="blocks decoded, every change applied, best bid and ask kept" a
	for a in real sim; do
		GOMAXPROCS=1 "$work/ladderback" bench --archive "$work/$a.db" --rounds 100 --times 5 --only "co" --quiet >"$work/decode.json"
		python3 - "$work/decode.json" "$name" "$a" <<'END'
import json, sys
doc = json.load(open(sys.argv[1]))
f = {x["name"]: x for x in doc["figures"]}
got, copy, unpack = f[sys.argv[2]], f["copy of the decoded levels"], f["columns unpacked"]
speed = got["per_second"] / 1e6
print(f"| Decode and apply, {sys.argv[3]}: {doc['captures']:,} books, {doc['level_changes']:,} level changes | 50 M changes/s | {speed:.0f} M changes/s | "
      f"{50 / speed:.2f} | {got['processor_seconds'] / unpack['processor_seconds']:.1f} × unpacking, {got['processor_seconds'] / copy['processor_seconds']:.0f} × copying |")
END
	done
}

commands() {
	local stop="take profit at 55c, stop at 20c" wall cpu mb pg all
	local deep=" and up ask depth is above 2000 dollars"
	read -r wall cpu mb < <(over 1000 "$work/sim.db" "hold to expiry")
	row "1,000 rounds, held to expiry" 0.25 "$wall" " s" "processor $cpu s, $mb MB"
	all=$wall
	read -r wall cpu mb < <(over 1000 "$work/sim.db" "take profit at 55c")
	row "1,000 rounds, with a target" 0.25 "$wall" " s" "processor $cpu s, $mb MB"
	read -r wall cpu mb < <(over 1000 "$work/sim.db" "$stop")
	row "1,000 rounds, with a stop" 0.6 "$wall" " s" "processor $cpu s, $mb MB"
	local stopped=$wall
	read -r wall cpu mb < <(over 1000 "$work/sim.db" "$stop" "$deep")
	row "1,000 rounds, depth" 1.0 "$wall" " s" "processor $cpu s, $mb MB"
	if [ -n "${POSTGRES:-}" ]; then
		read -r pg cpu mb < <(over 1000 "$POSTGRES" "hold to expiry")
		row "PostgreSQL, held to expiry" "$(awk -v w="$all" 'BEGIN { print 2 * w }')" "$pg" " s" "twice the embedded store; processor $cpu s"
		read -r pg cpu mb < <(over 1000 "$POSTGRES" "$stop")
		row "PostgreSQL, with a stop" "$(awk -v w="$stopped" 'BEGIN { print 2 * w }')" "$pg" " s" "the same"
	fi
	read -r wall cpu mb < <(over 1000 "$work/many.db" "$stop")
	read -r all cpu mb < <(over 10000 "$work/many.db" "$stop")
	row "10,000 rounds (of 1,000 books a token)" "$(awk -v w="$wall" 'BEGIN { print 10 * w }')" "$all" " s" "ten times the newest 1,000 of them"
	row "… resident" 300 "$mb" " MB"
	read -r wall cpu mb < <(over 1000 "$work/few.db" "$stop")
	read -r all cpu mb < <(over 1000 "$work/large.db" "$stop")
	row "A catalogue of 100,000, the same 1,000 rounds" "$(awk -v w="$wall" 'BEGIN { print 1.2 * w }')" "$all" " s" "the time with 1,000, and a fifth"
}

sweeps() {
	local wall cpu mb
	times=1
	read -r wall cpu mb < <(fastest "$work/ladderback" sweep \
		'Buy Up on BTC 15m when Up ask is below 35 cents after 1 minute, take profit at 60c, stop at 10c, $20 per trade, last 1000 markets' \
		--vary entry.0.threshold=0.30:0.39:0.01 --vary exit.take_profit=0.50:0.68:0.02 --vary exit.stop_loss=0.04:0.22:0.02 \
		--archive "$work/sim.db" --quiet --json)
	row "Sweep of 1,000 variants × 1,000 rounds" 10 "$wall" " s" "processor $cpu s, $mb MB"
}

disk() {
	python3 - "$work" <<'END'
import sqlite3, sys
for name, aim in (("real", 1.75), ("sim", 2.3)):
    db = sqlite3.connect(f"{sys.argv[1]}/{name}.db")
    books, changes = db.execute("SELECT sum(bytes), sum(changes) FROM blocks WHERE kind = 1").fetchone()
    (tops,) = db.execute("SELECT sum(bytes) FROM blocks WHERE kind = 5").fetchone()
    got = (books + tops) / changes
    print(f"| On disk, {name} | {aim} B/change | {got:.3f} B/change | {got / aim:.2f} | books {books / changes:.3f}, tops {tops / changes:.3f} |")
END
}

if [ "${1:-}" = --prepare ]; then
	work=$3
	prepare "$2"
	exit
fi
work=$1
echo "| | aim | measured | ÷ | |"
echo "|---|---|---|---|---|"
in_process
decoding
commands
sweeps
disk
if [ -n "${PYTHON:-}" ]; then
	echo
	"$PYTHON" bench/peers/compare.py --captures "${CAPTURES:?}" --work "$work/peers" --ladderback "$work/ladderback"
fi
