"""Captures of order books -> arrays, with nothing but Python's standard library.

Every peer is prepared from what this module reads: of each decided market the
book of its Up token, in receive order, from the last capture before the start
(it seeds the book) to the last one before the end. Times are microseconds since
1970, prices 1e-4 USD, sizes 1e-6 share; ladders are best first.

A market's two tokens mirror each other: a bid of the one at p is an ask of the
other at 1 - p. Where both were captured, of the books of one exchange time only
those of the token received first count.
"""

import gzip
import json
import os
from array import array
from dataclasses import dataclass
from decimal import Decimal

DEPTH = 10  # levels a side that the arrays keep
ONE = 10_000  # the price 1.0


@dataclass
class Market:
    slug: str
    start: int
    end: int
    up_won: bool
    up_token: str  # empty: not known
    down_token: str


@dataclass
class Book:
    recv: int
    bids: list  # of (price, size), best first
    asks: list


def micros(text, unit):
    """The number in text, in whole 1/unit, exactly; what is smaller is cut."""
    return int(Decimal(text) * unit)


def read_markets(path):
    """The decided markets, oldest first."""
    out = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            m = json.loads(line)
            if m["winner"] is None:
                continue
            out.append(
                Market(
                    m["slug"],
                    m["start"] * 1_000_000,
                    m["end"] * 1_000_000,
                    m["winner"] == "up",
                    m["up_token"] or "",
                    m["down_token"],
                )
            )
    return sorted(out, key=lambda m: (m.end, m.slug))


def ladder(levels, best_is_highest, mirrored):
    out = []
    for level in levels:
        price, size = micros(level["price"], ONE), micros(level["size"], 1_000_000)
        if size > 0:
            out.append((ONE - price if mirrored else price, size))
    out.sort(reverse=best_is_highest)
    return out


def read_books(market, lines):
    """The books of the market's Up token among the lines of a capture file."""
    first = {}  # exchange time -> the token that was received first
    seed = None
    for line in lines:
        # A receive time is read as text: a float has no room for microseconds.
        entry = json.loads(line, parse_float=str, parse_int=str)
        message = entry["msg"]
        if message.get("event_type") != "book":
            continue
        recv = micros(entry["recv"], 1_000_000)
        token = message["asset_id"]
        if first.setdefault(message["timestamp"], token) != token or recv >= market.end:
            continue
        down = token == market.down_token
        bids, asks = message["bids"], message["asks"]
        if down:
            bids, asks = asks, bids
        book = Book(recv, ladder(bids, True, down), ladder(asks, False, down))
        if recv < market.start:
            seed = book
            continue
        if seed is not None:
            yield seed
            seed = None
        yield book
    if seed is not None:
        yield seed


def open_books(folder, market):
    path = os.path.join(folder, "captures", market.slug + ".jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from read_books(market, lines)


def changes(before, after):
    """What turns one side into another: (price, new size), 0 removes."""
    old, new = dict(before), dict(after)
    return [(p, 0) for p in old if p not in new] + [(p, s) for p, s in new.items() if old.get(p) != s]


class Arrays:
    """Books in flat arrays: a row a book, DEPTH levels a side, size 0 where
    there is none. `first` has where each market's rows begin, and the end."""

    COLUMNS = {"recv": "q", "bid_price": "i", "bid_size": "q", "ask_price": "i", "ask_size": "q", "first": "q"}

    def __init__(self):
        for name, kind in self.COLUMNS.items():
            setattr(self, name, array(kind))
        self.changes = 0
        self.first.append(0)

    def add_market(self, books):
        bids, asks = [], []
        for book in books:
            self.changes += len(changes(bids, book.bids)) + len(changes(asks, book.asks))
            bids, asks = book.bids, book.asks
            self.recv.append(book.recv)
            for side, prices, sizes in (
                (bids, self.bid_price, self.bid_size),
                (asks, self.ask_price, self.ask_size),
            ):
                levels = side[:DEPTH] + [(0, 0)] * (DEPTH - len(side))
                prices.extend(p for p, _ in levels)
                sizes.extend(s for _, s in levels)
        self.first.append(len(self.recv))

    def save(self, folder):
        for name in self.COLUMNS:
            with open(os.path.join(folder, name + ".bin"), "wb") as f:
                getattr(self, name).tofile(f)
