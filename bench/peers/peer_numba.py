"""A compiled loop over prepared arrays: the fastest thing that people write by
hand in Python. Integer arithmetic throughout."""

import json
import os

import numba
import numpy as np

import captures
import peer
from peer import BUDGET, FEE_PERCENT, LATENCY, LOT, MAX_SLIPPAGE, STALE, WITHIN

NONE, FILLED, IN_PARTS = 0, 1, 2
REASONS = ["take_profit", "stop_loss", "expiry"]


def prepare(source, folder):
    markets = captures.read_markets(os.path.join(source, "markets.jsonl"))
    arrays = captures.Arrays()
    for m in markets:
        arrays.add_market(captures.open_books(source, m))
    arrays.save(folder)
    with open(os.path.join(folder, "markets.json"), "w", encoding="utf-8") as f:
        json.dump([[m.slug, m.start, m.end, m.up_won] for m in markets], f)
    return {"books": len(arrays.recv), "changes": arrays.changes, "markets": len(markets)}


def load(folder):
    with open(os.path.join(folder, "markets.json"), encoding="utf-8") as f:
        markets = json.load(f)
    columns = {
        name: np.fromfile(os.path.join(folder, name + ".bin"), dtype={"q": np.int64, "i": np.int32}[kind])
        for name, kind in captures.Arrays.COLUMNS.items()
    }
    for name in ("bid_price", "bid_size", "ask_price", "ask_size"):
        columns[name] = columns[name].reshape(-1, captures.DEPTH)
    bounds = np.array([[m[1], m[2], m[3]] for m in markets], dtype=np.int64)
    return [m[0] for m in markets], bounds, columns


@numba.njit(cache=True)
def walk(prices, sizes, shares, limit):
    """Value (1e-10 USD), fee (1e-16 USD) and shares of taking levels to limit."""
    value = fee = got = 0
    for k in range(len(prices)):
        if sizes[k] == 0 or got == shares or (limit > 0 and prices[k] > limit):
            break
        take = min(sizes[k], shares - got)
        p = np.int64(prices[k])
        value += p * take
        fee += take * p * (10_000 - p) * FEE_PERCENT
        got += take
    return value, fee, got


@numba.njit(cache=True)
def cents(fee):
    return fee // 100_000_000_000 * 10


@numba.njit(cache=True)
def buy(prices, sizes, limit):
    """The most lots whose cost and fee fit the budget: shares, cost."""
    _, _, there = walk(prices, sizes, np.int64(1) << 40, limit)
    low, high = 0, there // LOT
    while low < high:
        n = (low + high + 1) // 2
        value, fee, _ = walk(prices, sizes, n * LOT, limit)
        if -(-value // 10_000) + cents(fee) <= BUDGET:
            low = n
        else:
            high = n - 1
    value, fee, shares = walk(prices, sizes, low * LOT, limit)
    return shares, -(-value // 10_000) + cents(fee)


@numba.njit(cache=True)
def as_of(recv, i, last, at):
    while i + 1 < last and recv[i + 1] <= at:
        i += 1
    return i


@numba.njit(cache=True)
def one(recv, bp, bs, ap, asz, first, last, start, end, up_won, ask_below, profit, stop):
    i = first
    shares = cost = entered = 0
    while i < last:
        at = max(recv[i], start)
        superseded = i + 1 < last and recv[i + 1] <= start
        if superseded or asz[i, 0] == 0 or ap[i, 0] >= ask_below or at - start > WITHIN:
            i += 1
            continue
        limit = ap[i, 0] + MAX_SLIPPAGE
        entered = at + LATENCY
        if entered >= end:
            return NONE, 0, 0, 0, 0, 0, 0
        i = as_of(recv, i, last, entered)
        crossed = bs[i, 0] > 0 and asz[i, 0] > 0 and bp[i, 0] > ap[i, 0]
        if recv[i] >= entered - STALE and not crossed:
            shares, cost = buy(ap[i], asz[i], limit)
        if shares > 0:
            break
        i += 1
    if shares == 0:
        return NONE, 0, 0, 0, 0, 0, 0
    while i < last:
        at = max(recv[i], entered)
        value, _, got = walk(bp[i], bs[i], shares, 0)
        stopped = got > 0 and value <= stop * got
        if stopped or (got > 0 and value >= profit * shares):
            leaves = at + LATENCY
            if leaves >= end:
                break
            i = as_of(recv, i, last, leaves)
            while i < last:
                crossed = bs[i, 0] > 0 and asz[i, 0] > 0 and bp[i, 0] > ap[i, 0]
                value, fee, got = walk(bp[i], bs[i], shares, 0)
                if not crossed and recv[i] >= leaves - STALE and got >= LOT:
                    if got < shares:
                        return IN_PARTS, 0, 0, 0, 0, 0, 0
                    return FILLED, entered, shares, cost, leaves, np.int64(stopped), value // 10_000 - cents(fee)
                i += 1
                if i < last:
                    leaves = recv[i]
            break
        i += 1
    return FILLED, entered, shares, cost, end, 2, shares * up_won


@numba.njit(cache=True)
def backtest(bounds, first, recv, bp, bs, ap, asz, ask_below, profit, stop):
    out = np.zeros((len(bounds), 7), dtype=np.int64)
    for m in range(len(bounds)):
        out[m] = one(
            recv, bp, bs, ap, asz, first[m], first[m + 1], bounds[m, 0], bounds[m, 1], bounds[m, 2], ask_below, profit, stop
        )
    return out


@numba.njit(cache=True, parallel=True)
def backtest_all(bounds, first, recv, bp, bs, ap, asz, numbers):
    out = np.zeros((len(numbers), len(bounds), 7), dtype=np.int64)
    for v in numba.prange(len(numbers)):
        out[v] = backtest(bounds, first, recv, bp, bs, ap, asz, numbers[v, 0], numbers[v, 1], numbers[v, 2])
    return out


def arguments(data):
    _, bounds, c = data
    return bounds, c["first"], c["recv"], c["bid_price"], c["bid_size"], c["ask_price"], c["ask_size"]


def checked(out):
    if (out[..., 0] == IN_PARTS).any():
        raise SystemExit("an exit was filled in parts, which this loop does not do")
    return out


def run(data):
    out = checked(backtest(*arguments(data), peer.ASK_BELOW, peer.TAKE_PROFIT, peer.STOP_LOSS))
    return [
        peer.trade(data[0][m], t[1], t[2], t[3], t[4], REASONS[t[5]], t[6])
        for m, t in enumerate(out)
        if t[0] == FILLED
    ]


def run_variants(data, numbers):
    out = backtest_all(*arguments(data), np.array(numbers, dtype=np.int64))
    done, parts = (out[..., 0] == FILLED), (out[..., 0] == IN_PARTS)
    return [
        {"trades": int(done[v].sum()), "pnl": int((out[v, :, 6] - out[v, :, 3]).sum()), "in_parts": int(parts[v].sum())}
        for v in range(len(numbers))
    ]


if __name__ == "__main__":
    peer.main("numba", prepare, load, run, run_variants)
