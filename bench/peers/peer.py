"""What the peers share: the strategy's numbers, the form of a trade, the clock.

Each peer is a script with three uses:

    peer_X.py prepare CAPTURES DIR     the captures as this peer's users keep them
    peer_X.py run DIR                  one backtest; prints its trades
    peer_X.py repeat DIR N             N backtests in one process; prints times

Times are microseconds, prices 1e-4 USD, sizes 1e-6 share, money 1e-6 USD.
"""

import importlib.metadata
import json
import os
import sys
import time

WITHIN = 180_000_000  # entries in the first three minutes
BUDGET = 50_000_000
LATENCY = 250_000
MAX_SLIPPAGE = 500
STALE = 30_000_000
LOT = 10_000  # 0.01 share
FEE_PERCENT = 7  # of shares x p x (1 - p)

ASK_BELOW, TAKE_PROFIT, STOP_LOSS = 3500, 5500, 2000


def variants(folder):
    """(ask below, take profit, stop loss) of each variant."""
    with open(os.path.join(folder, "variants.json"), encoding="utf-8") as f:
        return [tuple(v) for v in json.load(f)]


def trade(slug, entry_time, shares, cost, exit_time, reason, proceeds):
    return {
        "slug": slug,
        "entry_time": int(entry_time),
        "shares": int(shares),
        "cost": int(cost),
        "exit_time": int(exit_time),
        "exit_reason": reason,
        "proceeds": int(proceeds),
    }


def timed(f, *args):
    start = time.perf_counter()
    out = f(*args)
    return out, time.perf_counter() - start


def main(package, prepare, load, run, run_variants=None):
    """prepare(source, folder) -> counts; load(folder) -> data;
    run(data) -> trades; run_variants(data, variants) -> [trades, pnl] each."""
    use, args = sys.argv[1], sys.argv[2:]
    if use == "prepare":
        out, took = timed(prepare, *args)
        out["seconds"] = took
    elif use == "run":
        out = {"trades": run(load(args[0]))}
    else:
        out = {"load": [], "run": [], "variants": [], "version": importlib.metadata.version(package)}
        for _ in range(int(args[1])):
            data, took = timed(load, args[0])
            out["load"].append(took)
            trades, took = timed(run, data)
            out["run"].append(took)
        out["trades"] = trades
        if run_variants:
            for _ in range(int(args[1])):
                out["by_variant"], took = timed(run_variants, data, variants(args[0]))
                out["variants"].append(took)
    json.dump(out, sys.stdout)
    print()
