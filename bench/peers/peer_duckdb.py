"""DuckDB: the captures as a table of books with lists of levels, the backtest as
one query. What a refusal at arrival or an exit in parts would need (trying
again) takes recursion and is not written; the query stops when one occurs."""

import os

import duckdb

import captures
import peer

FILE = "books.duckdb"

PREPARE = """
CREATE TYPE level AS STRUCT(p BIGINT, s BIGINT);
CREATE TABLE markets AS
  SELECT slug, start * 1000000 AS start_at, "end" * 1000000 AS end_at, winner = 'up' AS up_won, down_token
  FROM read_json('{source}/markets.jsonl', format = 'newline_delimited') WHERE winner IS NOT NULL;
CREATE MACRO levels(l) AS list_transform(l,
  lambda x: {{'p': CAST(CAST(x.price AS DECIMAL(9,4)) * 10000 AS BIGINT), 's': CAST(CAST(x.size AS DECIMAL(38,6)) * 1000000 AS BIGINT)}});
CREATE MACRO mirrored(l) AS list_transform(l, lambda x: {{'p': 10000 - x.p, 's': x.s}});
CREATE TABLE books AS
WITH messages AS (
  SELECT m.slug, m.start_at, m.end_at, m.down_token, CAST(CAST(recv AS DECIMAL(38,6)) * 1000000 AS BIGINT) AS recv,
    msg.asset_id AS token, msg.bids AS bids, msg.asks AS asks
  FROM read_json('{source}/captures/*.jsonl.gz', format = 'newline_delimited', columns = {{
    recv: 'VARCHAR', slug: 'VARCHAR', msg: 'STRUCT(event_type VARCHAR, asset_id VARCHAR, "timestamp" VARCHAR,
      bids STRUCT(price VARCHAR, size VARCHAR)[], asks STRUCT(price VARCHAR, size VARCHAR)[])'}}) r
  JOIN markets m ON m.slug = r.slug
  WHERE msg.event_type = 'book'
  QUALIFY token = first_value(token) OVER (PARTITION BY r.slug, msg."timestamp" ORDER BY recv)
), sides AS (
  SELECT slug, recv, start_at, levels(CASE WHEN token = down_token THEN asks ELSE bids END) AS bids,
    levels(CASE WHEN token = down_token THEN bids ELSE asks END) AS asks, token = down_token AS down
  FROM messages WHERE recv < end_at
  QUALIFY recv >= start_at OR recv = max(recv) FILTER (recv < start_at) OVER (PARTITION BY slug)
)
SELECT slug, recv,
  list_sort(list_filter(CASE WHEN down THEN mirrored(bids) ELSE bids END, lambda x: x.s > 0), 'DESC')[1:{depth}] AS bids,
  list_sort(list_filter(CASE WHEN down THEN mirrored(asks) ELSE asks END, lambda x: x.s > 0), 'ASC')[1:{depth}] AS asks
FROM sides ORDER BY slug, recv;
"""

QUERY = """
WITH signals AS (
  SELECT slug, min_by(asks[1].p, greatest(recv, start_at)) AS ask, min(greatest(recv, start_at)) + $latency AS entered
  FROM books JOIN markets USING (slug)
  WHERE asks[1].p < $ask_below AND greatest(recv, start_at) - start_at <= $within
  GROUP BY slug
), arrivals AS (
  SELECT s.slug, s.entered, s.ask, b.recv, b.bids, b.asks, b.recv < s.entered - $stale OR b.bids[1].p > b.asks[1].p AS refused
  FROM (SELECT s.* FROM signals s JOIN markets USING (slug) WHERE entered < end_at) s
  ASOF JOIN books b ON b.slug = s.slug AND b.recv <= s.entered
), asks AS (
  SELECT slug, entered, l.p, l.s, k,
    -- Money per share and its fee, in 1e-16 USD for 1e-6 share.
    l.p * 1000000::HUGEINT + $fee * l.p * (10000 - l.p) AS unit,
    refused
  FROM arrivals, unnest(asks) WITH ORDINALITY AS t(l, k)
  WHERE l.p <= ask + $slippage
), spent AS (
  SELECT *, coalesce(sum(s * unit) OVER (PARTITION BY slug ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
  FROM asks
), sized AS (
  SELECT slug, entered, bool_or(refused) AS refused,
    sum(least(s, greatest(0, $budget * 10000000000::HUGEINT - before) // unit)) // $lot * $lot AS shares
  FROM spent GROUP BY slug, entered
), bought AS (
  SELECT slug, entered, shares, sum(p * take) AS value, sum(take * p * (10000 - p)) * $fee AS fee
  FROM (
    SELECT a.slug, z.entered, shares, a.p,
      greatest(0, least(a.s, shares - coalesce(sum(a.s) OVER (PARTITION BY a.slug ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS take
    FROM asks a JOIN sized z USING (slug)
    WHERE CASE WHEN z.refused OR shares = 0 THEN error('an entry was refused: trying again is not written') ELSE true END
  ) GROUP BY ALL
), watched AS (
  SELECT g.slug, g.entered, g.shares, b.recv, greatest(b.recv, g.entered) AS seen, l.p, l.s, k
  FROM bought g JOIN books b ON b.slug = g.slug
    AND b.recv >= (SELECT max(x.recv) FROM books x WHERE x.slug = g.slug AND x.recv <= g.entered),
  unnest(b.bids) WITH ORDINALITY AS t(l, k)
), executable AS (
  SELECT slug, shares, seen, sum(p * take) AS value, sum(take) AS got
  FROM (
    SELECT *, greatest(0, least(s, shares - coalesce(sum(s) OVER (PARTITION BY slug, recv ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS take
    FROM watched
  ) GROUP BY ALL
), triggered AS (
  SELECT slug, min(seen) + $latency AS leaves, min_by(CASE WHEN value <= $stop * got THEN 'stop_loss' ELSE 'take_profit' END, seen) AS reason
  FROM executable WHERE value <= $stop * got OR value >= $profit * shares GROUP BY slug
), exits AS (
  SELECT t.slug, t.leaves, t.reason, b.bids, b.recv < t.leaves - $stale OR b.bids[1].p > b.asks[1].p AS refused
  FROM (SELECT t.* FROM triggered t JOIN markets USING (slug) WHERE leaves < end_at) t
  ASOF JOIN books b ON b.slug = t.slug AND b.recv <= t.leaves
), sold AS (
  SELECT slug, leaves, reason, sum(p * take) AS value, sum(take * p * (10000 - p)) * $fee AS fee, sum(take) AS got
  FROM (
    SELECT e.slug, leaves, reason, l.p,
      greatest(0, least(l.s, g.shares - coalesce(sum(l.s) OVER (PARTITION BY e.slug ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS take
    FROM exits e JOIN bought g USING (slug), unnest(e.bids) WITH ORDINALITY AS t(l, k)
    WHERE CASE WHEN refused THEN error('an exit was refused: trying again is not written') ELSE true END
  ) GROUP BY ALL
)
SELECT g.slug, g.entered, g.shares, (g.value + 9999) // 10000 + g.fee // 100000000000 * 10 AS cost,
  coalesce(s.leaves, m.end_at) AS exit_time, coalesce(s.reason, 'expiry') AS reason,
  CASE WHEN s.got < g.shares THEN error('an exit was filled in parts: trying again is not written')
       WHEN s.slug IS NULL THEN CASE WHEN m.up_won THEN g.shares ELSE 0 END
       ELSE s.value // 10000 - s.fee // 100000000000 * 10 END AS proceeds
FROM bought g JOIN markets m USING (slug) LEFT JOIN sold s USING (slug)
ORDER BY g.slug
"""


def prepare(source, folder):
    path = os.path.join(folder, FILE)
    if os.path.exists(path):
        os.remove(path)
    with duckdb.connect(path) as db:
        db.execute(PREPARE.format(source=source, depth=captures.DEPTH))
        books, markets = db.execute("SELECT (SELECT count(*) FROM books), (SELECT count(*) FROM markets)").fetchone()
    return {"books": books, "markets": markets}


def load(folder):
    return duckdb.connect(os.path.join(folder, FILE), read_only=True)


def run(db):
    rows = db.execute(
        QUERY,
        {
            "ask_below": peer.ASK_BELOW,
            "profit": peer.TAKE_PROFIT,
            "stop": peer.STOP_LOSS,
            "within": peer.WITHIN,
            "latency": peer.LATENCY,
            "stale": peer.STALE,
            "slippage": peer.MAX_SLIPPAGE,
            "budget": peer.BUDGET,
            "lot": peer.LOT,
            "fee": peer.FEE_PERCENT,
        },
    ).fetchall()
    return [peer.trade(*row) for row in rows]


if __name__ == "__main__":
    peer.main("duckdb", prepare, load, run)
