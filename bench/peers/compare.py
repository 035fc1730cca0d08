"""All peers and Ladderback over the same captures, from one command, in one table:

    python compare.py --captures FOLDER --work FOLDER --ladderback BINARY [--times 3] [--only NAME,NAME]

Prepares what is not in the work folder yet, runs the strategy as a command and in one
process, and holds every trade against Ladderback's. Processor time is that of the
command and what it waited for, user and system; of repetitions the fastest counts.
Exit code 1: trades differ, or a peer failed; the table has the others.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from datetime import datetime
from decimal import Decimal

PROMPT = (
    "Buy Up on BTC 5m when Up ask is below 35 cents in the first 3 minutes, "
    "take profit at 55c, stop at 20c, $50 per trade, last 100 markets"
)
VARY = ["entry.0.threshold=0.25:0.45:0.05", "exit.take_profit=0.5:0.7:0.05", "exit.stop_loss=0.05:0.2:0.05"]
HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = ["numba", "duckdb", "hftbacktest", "nautilus"]
FIELDS = ["entry_time", "shares", "cost", "exit_time", "exit_reason", "proceeds"]


class Failed(Exception):
    """A command that did not end well."""


def say(text):
    """What goes on: the whole takes minutes, some steps of a peer alone do."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def command(args):
    """The output of a command, its wall and processor seconds, and its peak memory in MB."""
    with subprocess.Popen(args, stdout=subprocess.PIPE, cwd=HERE) as p:
        start = time.perf_counter()
        out = p.stdout.read()
        _, status, used = os.wait4(p.pid, 0)
        wall = time.perf_counter() - start
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode != 0:
        raise Failed(f"{' '.join(args)}: exit code {p.returncode}")
    return out, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def fastest(times, args):
    runs = [command(args) for _ in range(times)]
    return min(runs, key=lambda r: r[2])


def size(folder):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files) / 1e6


def micros(number):
    return int(Decimal(str(number)) * 1_000_000)


def instant(text):
    return int(Decimal(str(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())).scaleb(6).to_integral_value())


def trades_of(report):
    out = {}
    for t in report["trades"]:
        out[t["market_slug"]] = {
            "entry_time": instant(t["entry_time"]),
            "shares": micros(t["shares"]),
            "cost": micros(t["cost"]),
            "exit_time": instant(t["exit_time"]),
            "exit_reason": t["exit_reason"],
            "proceeds": micros(t["proceeds"]),
        }
    return out


def differences(want, got):
    """What differs between two sets of trades, by slug. The instant of a settlement is
    not compared: peers take the end of the round."""
    out = []
    for slug in sorted(want.keys() | got.keys()):
        a, b = want.get(slug), got.get(slug)
        if a is None or b is None:
            out.append(f"{slug}: only one of them trades")
            continue
        names = [n for n in FIELDS if a[n] != b[n] and not (n == "exit_time" and a["exit_reason"] == "expiry")]
        out.extend(f"{slug}: {n} {a[n]}, {b[n]}" for n in names)
    return out


def seconds(values):
    return f"{min(values) * 1000:,.0f} ms" if values else ""


class Table:
    def __init__(self):
        self.rows = []

    def add(self, *cells):
        self.rows.append([str(c) for c in cells])

    def text(self):
        head = ["", "prepared in", "on disk", "command, processor", "wall", "memory", "in process: load", "backtest", "100 variants", "trades"]
        lines = ["| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head), *self.rows]]
        return "\n".join(lines)


def ladderback(o, table):
    path = os.path.join(o.work, "real.db")
    took = ""
    if not os.path.exists(path):
        _, _, cpu, _ = command([o.ladderback, "import", "--quiet", "--archive", path, o.captures])
        took = f"{cpu:.1f} s"
    args = [o.ladderback, "backtest", PROMPT, "--archive", path, "--winners", "inferred", "--quiet", "--json"]
    out, wall, cpu, memory = fastest(o.times, args)
    trades = trades_of(json.loads(out)["report"])
    out, _, _, _ = command([o.ladderback, "bench", "--archive", path, "--rounds", "100", "--times", "9", "--only", "peers", "--quiet"])
    figures = {f["name"]: f["wall_seconds"] for f in json.loads(out)["figures"]}
    vary = [x for v in VARY for x in ("--vary", v)]
    out, _, _, _ = command([o.ladderback, "sweep", PROMPT, "--archive", path, "--winners", "inferred", "--quiet", "--json", *vary])
    variants = {tuple(v["values"]): (v["trades"], micros(v["total_pnl"])) for v in json.loads(out)["sweep"]["variants"]}
    version = json.loads(command([o.ladderback, "version", "--json"])[0]).get("version", "")
    table.add(
        f"Ladderback {version}", took, f"{os.path.getsize(path) / 1e6:.1f} MB", f"{cpu:.2f} s", f"{wall:.2f} s", f"{memory:.0f} MB",
        "included", seconds([figures["peers: a stop and a target"]]), seconds([figures["peers: 100 variants"]]), f"{len(trades)}",
    )
    return trades, variants


def peer(o, name, table, want, variants):
    script, folder = os.path.join(HERE, f"peer_{name}.py"), os.path.join(o.work, name)
    took = ""
    if not os.path.exists(os.path.join(folder, "prepared")):
        os.makedirs(folder, exist_ok=True)
        say(f"{name}: preparing")
        out, _, cpu, _ = command([sys.executable, script, "prepare", o.captures, folder])
        took = f"{cpu:.1f} s"
        with open(os.path.join(folder, "prepared"), "wb") as f:
            f.write(out)
    numbers = sorted(variants)
    with open(os.path.join(folder, "variants.json"), "w", encoding="utf-8") as f:
        json.dump([[round(x * 10_000) for x in v] for v in numbers], f)
    args = [sys.executable, script, "run", folder]
    say(f"{name}: one backtest a command, {o.times + 1} times")
    command(args)  # compiles what is compiled on first use
    out, wall, cpu, memory = fastest(o.times, args)
    trades = {t.pop("slug"): t for t in json.loads(out)["trades"]}
    wrong = differences(want, trades)
    say(f"{name}: five backtests and 100 variants in one process")
    found = json.loads(command([sys.executable, script, "repeat", folder, "5"])[0])
    wrong += differences(want, {t.pop("slug"): t for t in found["trades"]})
    for v, got in zip(numbers, found.get("by_variant", [])):
        if got["in_parts"] == 0 and (got["trades"], got["pnl"]) != variants[v]:
            wrong.append(f"variant {v}: {variants[v]}, {(got['trades'], got['pnl'])}")
    said = f"{len(trades)}, equal" if not wrong else f"{len(trades)}, {len(wrong)} differences"
    table.add(
        f"{name} {found['version']}", took, f"{size(folder):.1f} MB", f"{cpu:.2f} s", f"{wall:.2f} s", f"{memory:.0f} MB",
        seconds(found["load"]), seconds(found["run"]), seconds(found["variants"]), said,
    )
    for line in wrong[:20]:
        print(f"{name}: {line}", file=sys.stderr)
    return not wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--captures", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--ladderback", required=True)
    p.add_argument("--times", type=int, default=3)
    p.add_argument("--only", default=",".join(PEERS))
    o = p.parse_args()
    o.captures, o.work, o.ladderback = (os.path.abspath(x) for x in (o.captures, o.work, o.ladderback))
    os.makedirs(o.work, exist_ok=True)
    table = Table()
    say("Ladderback")
    want, variants = ladderback(o, table)
    equal = True
    for name in o.only.split(","):
        try:
            equal = peer(o, name, table, want, variants) and equal
        except Failed as e:  # the others have a row all the same
            say(str(e))
            table.add(name, *[""] * 8, "failed")
            equal = False
    print(table.text())
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
