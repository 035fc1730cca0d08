"""Reads exports back with pandas, polars and DuckDB: every table in every format,
equal value for value, and only the files that are needed.

Usage: python exports.py LADDERBACK ARCHIVE FOLDER
"""

import glob
import io
import os
import subprocess
import sys

import duckdb
import pandas as pd
import polars as pl

program, archive, folder = sys.argv[1:]


def ladderback(*args):
    return subprocess.run([program, *args, "--archive", archive, "--quiet"], check=True, capture_output=True).stdout


TABLES = ["levels", "quotes", "trades", "prices", "books", "metrics", "markets"]
for form in ("parquet", "csv", "jsonl"):
    more = [] if form == "csv" else ["captures"]
    ladderback("archive", "export", *TABLES, *more, "--resolution", "5s", "--format", form, "--out", f"{folder}/{form}")


CATALOGUE = ["markets", "tokens", "payouts", "gaps", "events", "series"]


def files(table, form):
    if table in CATALOGUE:
        return [f"{folder}/{form}/markets/{table}.{form}"]
    return sorted(glob.glob(f"{folder}/{form}/{table}/**/*.{form}", recursive=True))


def same(table, how, got, want):
    """got, in any types, has the values of want."""
    got = got.select(want.columns)
    for name, kind in want.schema.items():
        column = got[name]
        if isinstance(kind, pl.Datetime) and column.dtype == pl.String:
            column = column.str.to_datetime("%Y-%m-%dT%H:%M:%S%.6fZ", time_unit="us", time_zone="UTC")
        if kind == pl.Boolean and column.dtype == pl.String:
            column = column.replace_strict({"true": True, "false": False})
        column = column.cast(kind)
        if not column.equals(want[name], null_equal=True):
            off = column.ne_missing(want[name]).arg_true()
            raise AssertionError(f"{table}.{name}, {how}: {len(off)} differ, first in row {off[0]}: {column[off[0]]!r}, {want[name][off[0]]!r}")


checked = 0
for table in TABLES[:-1] + CATALOGUE:
    parquet = files(table, "parquet")
    want = pl.concat([pl.read_parquet(f, hive_partitioning=False) for f in parquet])
    if table not in ("gaps", "trades"):
        assert want.height > 0, table
    text = [n for n, kind in want.schema.items() if kind == pl.String]
    listed = ", ".join(f"'{f}'" for f in parquet)
    same(table, "pandas", pl.concat([pl.from_pandas(pd.read_parquet(f, partitioning=None)).cast(want.schema) for f in parquet]), want)
    same(table, "DuckDB", duckdb.sql(f"SELECT * FROM read_parquet([{listed}], hive_partitioning = false)").pl(), want)
    if want.height == 0:
        continue
    csv = files(table, "csv")
    listed = ", ".join(f"'{f}'" for f in csv)
    types = ", ".join(f"'{n}': 'VARCHAR'" for n in text)
    # What is text is said to be text: an id of 77 digits is not a number.
    same(table, "CSV, polars", pl.concat([pl.read_csv(f, schema_overrides={n: pl.String for n in text}, infer_schema_length=None) for f in csv], how="vertical_relaxed"), want)
    same(table, "CSV, pandas", pl.concat([pl.from_pandas(pd.read_csv(f, dtype={n: str for n in text})).cast(
        {n: kind for n, kind in want.schema.items() if not isinstance(kind, pl.Datetime)}) for f in csv]), want)
    same(table, "CSV, DuckDB", duckdb.sql(f"SELECT * FROM read_csv([{listed}], types = {{{types}}}, hive_partitioning = false, union_by_name = true)").pl(), want)
    lines = pl.concat([pl.read_ndjson(f, infer_schema_length=None) for f in files(table, "jsonl")], how="vertical_relaxed")
    same(table, "JSON lines, polars", lines, want)
    checked += want.height

# Books as lists have the levels that stand in rows.
levels = pl.concat([pl.read_parquet(f, hive_partitioning=False) for f in files("levels", "parquet")]).filter(pl.col("kind").is_in(["book", "change"]))
lists = pl.concat([pl.read_parquet(f, hive_partitioning=False) for f in files("captures", "parquet")])
for side in ("bid", "ask"):
    one = lists.select("slug", "seq", pl.col(side + "s").alias("l")).filter(pl.col("l").list.len() > 0).explode("l").unnest("l")
    other = levels.filter(pl.col("side") == side).select("slug", "seq", "price", "size")
    assert one.equals(other), f"{side}s as lists and as rows differ"

# What an export has of a market is what the data routes have.
slug = levels["slug"][0]
market = pl.read_parquet(f"{folder}/parquet/markets/markets.parquet").filter(pl.col("slug") == slug)
start, end = (market[n][0].strftime("%Y-%m-%dT%H:%M:%SZ") for n in ("start", "end"))
routes = pl.read_csv(io.BytesIO(ladderback("history", "prices", slug, "--resolution", "5s", "--start", start, "--end", end, "--format", "csv")),
                     schema_overrides={"token_id": pl.String})
export = pl.concat([pl.read_parquet(f, hive_partitioning=False) for f in files("prices", "parquet")]).filter(
    (pl.col("slug") == slug) & (pl.col("t") >= market["start"][0]) & (pl.col("t") < market["end"][0]))
assert routes["p"].to_list() == export["p"].to_list() and export.height > 100, slug
for form, read in (("parquet", pl.read_parquet), ("ndjson", pl.read_ndjson)):
    rows = read(io.BytesIO(ladderback("history", "prices", slug, "--resolution", "5s", "--start", start, "--end", end, "--format", form)))
    assert rows["p"].to_list() == export["p"].to_list(), form

# Readers skip the folders that a question is not about.
total = len(files("captures", "parquet"))
assert total > 1
plan = duckdb.sql(f"EXPLAIN ANALYZE SELECT max(t) FROM read_parquet('{folder}/parquet/captures/**/*.parquet', hive_partitioning = true) WHERE coin = 'ETH'").fetchall()[0][1]
assert f"Scanning Files: 1/{total}" in plan, plan
plan = pl.scan_parquet(f"{folder}/parquet/captures/", hive_partitioning=True).filter(pl.col("coin") == "ETH").explain()
assert "coin=ETH" in plan and "coin=BTC" not in plan, plan
print(f"exports: {checked} rows of {len(TABLES) - 1 + len(CATALOGUE)} tables equal in Parquet, CSV and JSON lines, to pandas, polars and DuckDB")
