"""A day of prices of 1 s of 288 markets as one frame of polars, by Parquet and by pages; needs
polars and the command (or $LADDERBACK_BIN).

Usage: PYTHONPATH=src python tools/bench.py [MARKETS [PAGED]]
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

import ladderback
from ladderback import _local

markets, paged = (int(n) for n in (sys.argv[1:] + ["288", "24"][len(sys.argv) - 1 :]))
with tempfile.TemporaryDirectory() as folder:
    at = str(Path(folder) / "day.db")
    command = [_local.program(), "simulate", "--quiet", "--markets", str(markets), "--coins", "BTC", "--types", "5m"]
    subprocess.run([*command, "--archive", at], check=True, stdout=subprocess.DEVNULL)
    with ladderback.local(at) as client:
        found = client.markets(include_closed=True, sort="start_date", order="asc").all()
        for _ in range(3):
            began, spent = time.perf_counter(), time.process_time()
            frame = pl.concat([client.prices(m["slug"], m["start_date"], m["end_date"]).to_polars() for m in found])
            print(
                f"Parquet: {len(found)} markets, {frame.height:,} rows in {time.perf_counter() - began:.2f} s, "
                f"of which the client's processor {time.process_time() - spent:.2f} s"
            )
        began, spent = time.perf_counter(), time.process_time()
        rows = [
            row
            for m in found[:paged]
            for row in client.prices(m["slug"], m["start_date"], m["end_date"], page_size=200)
        ]
        took = time.perf_counter() - began
        print(f"pages: {paged} markets, {len(rows):,} rows in {took:.2f} s: {took / paged * len(found):.1f} s for all")
        assert frame.rows()[: len(rows)] == [tuple(r.values()) for r in rows], "one is the other"
