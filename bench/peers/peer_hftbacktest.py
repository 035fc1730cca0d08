"""hftbacktest: the changes of each market's book as its events, a backtest a market,
its clock and its book. An order is sized by the ladder that it meets, and its exchange
models report one price an order, so the strategy lets the latency pass and walks the
book itself."""

import json
import os

import numba
import numpy as np
from hftbacktest import BUY_EVENT, DEPTH_EVENT, EXCH_EVENT, LOCAL_EVENT, SELL_EVENT, BacktestAsset, HashMapMarketDepthBacktest
from hftbacktest.types import event_dtype

import captures
import peer
from peer import BUDGET, FEE_PERCENT, LATENCY, LOT, MAX_SLIPPAGE, STALE, WITHIN

TICK = 10  # 0.001 USD in 1e-4
ONE = captures.ONE
NOT_BEGUN = 2**63 - 1  # what the clock says before the first event
NONE, FILLED, IN_PARTS = 0, 1, 2
REASONS = ["take_profit", "stop_loss", "expiry"]


def prepare(source, folder):
    markets = captures.read_markets(os.path.join(source, "markets.jsonl"))
    books = 0
    for n, m in enumerate(markets):
        rows, times, bids, asks = [], [], [], []
        for b in captures.open_books(source, m):
            at = b.recv * 1000
            for side, old, new in ((BUY_EVENT, bids, b.bids), (SELL_EVENT, asks, b.asks)):
                kind = DEPTH_EVENT | EXCH_EVENT | LOCAL_EVENT | side
                rows.extend((kind, at, at, p / captures.ONE, s / 1e6, 0, 0, 0.0) for p, s in captures.changes(old, new))
            bids, asks = b.bids, b.asks
            times.append(b.recv)
        books += len(times)
        np.save(os.path.join(folder, f"events{n}.npy"), np.array(rows, dtype=event_dtype))
        np.save(os.path.join(folder, f"times{n}.npy"), np.array(times, dtype=np.int64))
    with open(os.path.join(folder, "markets.json"), "w", encoding="utf-8") as f:
        json.dump([[m.slug, m.start, m.end, m.up_won] for m in markets], f)
    return {"books": books, "markets": len(markets)}


def load(folder):
    with open(os.path.join(folder, "markets.json"), encoding="utf-8") as f:
        markets = json.load(f)
    return [
        (m, np.load(os.path.join(folder, f"events{n}.npy")), np.load(os.path.join(folder, f"times{n}.npy")))
        for n, m in enumerate(markets)
    ]


@numba.njit
def to(hbt, at):
    """Lets the time pass until an instant, its events included."""
    if hbt.current_timestamp == NOT_BEGUN:
        hbt.elapse(0)
    if at * 1000 > hbt.current_timestamp:
        hbt.elapse(at * 1000 - hbt.current_timestamp)


@numba.njit
def quote(depth, bid):
    """The best price of a side and its size; 0, 0 when it is empty."""
    tick = depth.best_bid_tick if bid else depth.best_ask_tick
    if tick <= 0 or tick * TICK >= ONE:
        return 0, 0
    q = depth.bid_qty_at_tick(tick) if bid else depth.ask_qty_at_tick(tick)
    return tick * TICK, round(q * 1_000_000)


@numba.njit
def walk(depth, bid, shares, limit):
    """Value (1e-10 USD), fee (1e-16 USD) and shares of taking levels to limit."""
    value = fee = got = 0
    p, size = quote(depth, bid)
    while 0 < p < ONE and got < shares and not (limit > 0 and p > limit):
        if size > 0:
            take = min(size, shares - got)
            value += p * take
            fee += take * p * (ONE - p) * FEE_PERCENT
            got += take
        p += -TICK if bid else TICK
        q = depth.bid_qty_at_tick(p // TICK) if bid else depth.ask_qty_at_tick(p // TICK)
        size = round(q * 1_000_000)
    return value, fee, got


@numba.njit
def cents(fee):
    return fee // 100_000_000_000 * 10


@numba.njit
def buy(depth, limit):
    """The most lots whose cost and fee fit the budget: shares, cost."""
    _, _, there = walk(depth, False, 1 << 40, limit)
    low, high = 0, there // LOT
    while low < high:
        n = (low + high + 1) // 2
        value, fee, _ = walk(depth, False, n * LOT, limit)
        if -(-value // 10_000) + cents(fee) <= BUDGET:
            low = n
        else:
            high = n - 1
    value, fee, shares = walk(depth, False, low * LOT, limit)
    return shares, -(-value // 10_000) + cents(fee)


@numba.njit
def crossed(depth):
    bid, _ = quote(depth, True)
    ask, _ = quote(depth, False)
    return bid > 0 and ask > 0 and bid > ask


@numba.njit
def as_of(times, i, at):
    while i + 1 < len(times) and times[i + 1] <= at:
        i += 1
    return i


@numba.njit
def one(hbt, times, start, end, up_won, ask_below, profit, stop):
    i = shares = cost = entered = 0
    while i < len(times):
        if i + 1 < len(times) and times[i + 1] <= start:
            i += 1
            continue
        at = max(times[i], start)
        to(hbt, at)
        ask, _ = quote(hbt.depth(0), False)
        if ask == 0 or ask >= ask_below or at - start > WITHIN:
            i += 1
            continue
        entered = at + LATENCY
        if entered >= end:
            return NONE, 0, 0, 0, 0, 0, 0
        to(hbt, entered)
        i = as_of(times, i, entered)
        if times[i] >= entered - STALE and not crossed(hbt.depth(0)):
            shares, cost = buy(hbt.depth(0), ask + MAX_SLIPPAGE)
        if shares > 0:
            break
        i += 1
    if shares == 0:
        return NONE, 0, 0, 0, 0, 0, 0
    while i < len(times):
        at = max(times[i], entered)
        to(hbt, at)
        value, _, got = walk(hbt.depth(0), True, shares, 0)
        stopped = got > 0 and value <= stop * got
        if stopped or (got > 0 and value >= profit * shares):
            leaves = at + LATENCY
            if leaves >= end:
                break
            i = as_of(times, i, leaves)
            while i < len(times):
                to(hbt, leaves)
                value, fee, got = walk(hbt.depth(0), True, shares, 0)
                if not crossed(hbt.depth(0)) and times[i] >= leaves - STALE and got >= LOT:
                    if got < shares:
                        return IN_PARTS, 0, 0, 0, 0, 0, 0
                    return FILLED, entered, shares, cost, leaves, int(stopped), value // 10_000 - cents(fee)
                i += 1
                if i < len(times):
                    leaves = times[i]
            break
        i += 1
    return FILLED, entered, shares, cost, end, 2, shares * up_won


def run(data):
    trades = []
    for (slug, start, end, up_won), events, times in data:
        asset = (
            BacktestAsset()
            .data([events])
            .linear_asset(1.0)
            .constant_order_latency(0, 0)
            .risk_adverse_queue_model()
            .no_partial_fill_exchange()
            .trading_value_fee_model(0, 0)
            .tick_size(TICK / captures.ONE)
            .lot_size(0.01)
        )
        hbt = HashMapMarketDepthBacktest([asset])
        t = one(hbt, times, start, end, int(up_won), peer.ASK_BELOW, peer.TAKE_PROFIT, peer.STOP_LOSS)
        hbt.close()
        if t[0] == IN_PARTS:
            raise SystemExit("an exit was filled in parts, which this strategy does not do")
        if t[0] == FILLED:
            trades.append(peer.trade(slug, t[1], t[2], t[3], t[4], REASONS[t[5]], t[6]))
    return trades


if __name__ == "__main__":
    peer.main("hftbacktest", prepare, load, run)
