"""Real data sets imported whole, held against DuckDB over the same files; and how fast each format is read:

    python sources.py --data FOLDER --work FOLDER --ladderback BINARY [--only real|formats]

FOLDER has polymarket-btc-5m and polymarket-us-sports. Every market must have as many
captures in the archive as DuckDB finds in the files, with the same sums, first and
last times, and the same payout. Then 20,000 events in each format are read by
the importer's decoder (go test -bench Decode) and by DuckDB, every column, on one
thread; of five the fastest counts. Exit code 1: something differs.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

import duckdb

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def measured(args):
    """The output of a command, with its processor and wall seconds."""
    start = time.perf_counter()
    with subprocess.Popen(args, stdout=subprocess.PIPE) as p:
        out = p.stdout.read()
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode != 0:
        sys.exit(f"{' '.join(args)}: exit code {p.returncode}")
    return out, used.ru_utime + used.ru_stime, time.perf_counter() - start


def hold(what, db, got, want):
    """got and want are queries with a row a market."""
    missing, extra = (db.sql(f"SELECT count(*) FROM (({a}) EXCEPT ALL ({b}))").fetchall()[0][0] for a, b in ((want, got), (got, want)))
    if missing or extra:
        print(db.sql(f"({want}) EXCEPT ALL ({got}) LIMIT 3"), db.sql(f"({got}) EXCEPT ALL ({want}) LIMIT 3"), file=sys.stderr)
        sys.exit(f"{what}: {missing} rows differ from what DuckDB finds in the files, {extra} are not there")
    rows = db.sql(f"SELECT count(*) FROM ({want})").fetchall()[0][0]
    print(f"{what}: {rows:,} rows, all equal to DuckDB's")


def imported(o, name):
    """Imports a data set whole and exports it. Returns what the import says."""
    archive, export = os.path.join(o.work, name + ".db"), os.path.join(o.work, name)
    for path in (archive, export):
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.remove(path)
    out, cpu, wall = measured([o.ladderback, "import", os.path.join(o.data, name), "--archive", archive, "--json", "--quiet"])
    r = json.loads(out)
    read = sum(f["size"] for f in r["files"]) / 1e6
    print(f"{name}: {len(r['files'])} files, {read:.1f} MB, {r['messages']:,} messages, {r['markets']:,} markets, {r['captures']:,} captures, "
          f"{r['level_changes']:,} level changes in {cpu:.1f} s of a processor ({wall:.1f} s): "
          f"{read / cpu:.1f} MB and {max(r['level_changes'], r['captures']) / cpu:,.0f} changes a second a core; {os.path.getsize(archive) / 1e6:.1f} MB on disk")
    measured([o.ladderback, "archive", "export", "captures", "markets", "--out", export, "--archive", archive, "--quiet"])
    return r


def connect(work, name):
    db = duckdb.connect()
    db.sql("SET TimeZone = 'UTC'")
    db.sql(f"CREATE VIEW captures AS FROM read_parquet('{work}/{name}/captures/**/*.parquet', hive_partitioning = false)")
    for table in ("markets", "payouts"):
        db.sql(f"CREATE VIEW {table} AS FROM '{work}/{name}/markets/{table}.parquet'")
    return db


def books(o):
    """The rounds whose messages are kept verbatim, once as lines and some once more as Parquet."""
    name = "polymarket-btc-5m"
    imported(o, name)
    db, folder = connect(o.work, name), os.path.join(o.data, name)
    levels = "list_sort([printf('%.4f %.6f', l.price::DOUBLE, l.size::DOUBLE) FOR l IN {} IF l.size::DOUBLE > 0])"
    message = "STRUCT(asset_id VARCHAR, timestamp VARCHAR, bids STRUCT(price VARCHAR, size VARCHAR)[], asks STRUCT(price VARCHAR, size VARCHAR)[])"
    db.sql(f"""CREATE TABLE files AS SELECT DISTINCT slug, round(recv * 1e6)::BIGINT AS t, msg.asset_id AS token, msg.timestamp::BIGINT * 1000 AS exchange_t,
        {levels.format('msg.bids')} AS bids, {levels.format('msg.asks')} AS asks
        FROM (SELECT recv, slug, msg FROM read_ndjson('{folder}/captures/*.gz', columns = {{recv: 'DOUBLE', slug: 'VARCHAR', msg: '{message}'}})
        UNION ALL SELECT timestamp, slug, from_json(raw_data, '{json.dumps({"asset_id": "VARCHAR", "timestamp": "VARCHAR", "bids": [{"price": "VARCHAR", "size": "VARCHAR"}], "asks": [{"price": "VARCHAR", "size": "VARCHAR"}]})}')
        FROM read_parquet('{folder}/parquet/*.parquet'))""")
    one = "slug, token, count(*) AS books, sum(len(bids) + len(asks)) AS levels, sum(hash(t, exchange_t, bids, asks)) AS all, min(t) AS first, max(t) AS last"
    hold(f"{name}, books by token", db,
         f"""SELECT {one} FROM (SELECT slug, token_id AS token, epoch_us(t) AS t, epoch_us(exchange_t) AS exchange_t, {levels.format('bids')} AS bids,
             {levels.format('asks')} AS asks FROM captures WHERE kind = 'book') GROUP BY ALL""",
         f"SELECT {one} FROM files GROUP BY ALL")
    hold(f"{name}, winners", db,
         "SELECT slug, lower(label) AS winner, basis FROM payouts WHERE pays = 1",
         f"SELECT slug, winner, if(winner_basis = 'official', 'official', 'inferred') AS basis FROM read_ndjson('{folder}/markets.jsonl') WHERE winner IS NOT NULL")


def quotes(o):
    """A day of polled best prices of games, without ids."""
    name = "polymarket-us-sports"
    r = imported(o, name)
    db, folder = connect(o.work, name), os.path.join(o.data, name)
    ours = "category IN ('sports', 'crypto')"
    one = "slug, count(*) AS quotes, sum(bid) AS bids, sum(ask) AS asks, sum(hash(t, bid, ask)) AS all, min(t) AS first, max(t) AS last"
    ticks = "nullif(round({} * 10000)::BIGINT, 0)"
    hold(f"{name}, quotes by market", db,
         f"SELECT {one} FROM (SELECT slug, epoch_us(t) AS t, {ticks.format('bid')} AS bid, {ticks.format('ask')} AS ask FROM captures WHERE kind = 'quote') GROUP BY ALL",
         f"""SELECT {one} FROM (SELECT DISTINCT slug, epoch_us(ts) AS t, {ticks.format('bid')} AS bid, {ticks.format('ask')} AS ask
             FROM read_parquet('{folder}/quotes/*/*.parquet', hive_partitioning = false) WHERE {ours}) GROUP BY ALL""")
    hold(f"{name}, outcomes", db,
         "SELECT slug, label = 'Yes' AS yes, basis FROM payouts WHERE pays = 1",
         f"SELECT slug, y = 1, if(source = 'api', 'official', 'inferred') FROM '{folder}/labels.parquet' WHERE slug IN (SELECT slug FROM markets)")
    listed = f"SELECT slug, question FROM '{folder}/markets.parquet' WHERE {ours}"
    hold(f"{name}, questions", db, f"SELECT slug, question FROM markets WHERE slug IN (SELECT slug FROM ({listed}))", listed)
    every = " UNION ".join(f"SELECT slug FROM {t}" for t in (
        f"'{folder}/markets.parquet' WHERE {ours}", f"'{folder}/labels.parquet'", f"read_parquet('{folder}/quotes/*/*.parquet', hive_partitioning = false) WHERE {ours}"))
    total = db.sql(f"SELECT count(*) FROM ({every})").fetchall()[0][0]
    if total != r["markets"]:
        sys.exit(f"{name}: {r['markets']:,} markets were imported, DuckDB finds {total:,}")
    print(f"{name}, markets in all: {total:,}, as many as DuckDB finds")


def formats(o):
    """20,000 events in each format."""
    files = os.path.join(o.work, "formats")
    os.makedirs(files, exist_ok=True)
    env = dict(os.environ, LADDERBACK_BENCH_FILES=files)
    out = subprocess.run(["go", "test", "./archive/ingest", "-run", "^$", "-bench", "Decode", "-benchtime", "5x", "-count", "5", "-cpu", "1"],
                         cwd=REPOSITORY, env=env, check=True, capture_output=True, text=True).stdout
    best = {}
    for m in re.finditer(r"^BenchmarkDecode/(\S+?)\s+\d+\s+(\d+) ns/op\s+([\d.]+) MB/s\s+(\d+) changes/s", out, re.M):
        row = int(m[2]) / 1e6, float(m[3]), int(m[4]) / 1e6
        best[m[1]] = min(best.get(m[1], row), row)
    print("| Format | file | MB of file per second | level changes per second | time | DuckDB |\n|---|---|---|---|---|---|")
    for name, (ms, mb, changes) in best.items():
        path = next(p for p in glob.glob(f"{files}/{name}.*"))
        beside = ""
        if path.endswith(".parquet"):
            db = duckdb.connect()
            db.sql("SET threads = 1")
            columns = [r[0] for r in db.sql(f"DESCRIBE FROM '{path}'").fetchall()]
            took = []
            for _ in range(5):
                start = time.process_time()
                db.execute(f"SELECT count(*), {', '.join(f'max(hash({json.dumps(c)}))' for c in columns)} FROM '{path}'").fetchall()
                took.append(time.process_time() - start)
            beside = f"{min(took) * 1000:.1f} ms"
        print(f"| `{name}` | {os.path.getsize(path) / 1e6:.2f} MB | {mb:.1f} | {changes:.1f} M | {ms:.1f} ms | {beside} |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--ladderback", required=True)
    p.add_argument("--only", choices=["real", "formats"])
    o = p.parse_args()
    o.data, o.work, o.ladderback = map(os.path.abspath, (o.data, o.work, o.ladderback))
    os.makedirs(o.work, exist_ok=True)
    if o.only != "formats":
        books(o)
        quotes(o)
    if o.only != "real":
        formats(o)


if __name__ == "__main__":
    main()
