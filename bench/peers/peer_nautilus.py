"""nautilus_trader: snapshots of ten levels in its own Parquet catalogue, one
engine over all markets, one strategy that subscribes to all of them.

An order is sized by the ladder that it meets, so the strategy sets a timer for
the latency and sends then, as a market order."""

import json
import os
import shutil
from decimal import Decimal

from nautilus_trader.backtest.engine import BacktestEngine
from nautilus_trader.backtest.models import FeeModel
from nautilus_trader.config import BacktestEngineConfig, LoggingConfig
from nautilus_trader.model.currencies import USDC
from nautilus_trader.model.data import BookOrder, OrderBookDepth10
from nautilus_trader.model.enums import (
    AccountType,
    AssetClass,
    BookType,
    OmsType,
    OrderSide,
)
from nautilus_trader.model.identifiers import InstrumentId, Symbol, Venue
from nautilus_trader.model.instruments import BinaryOption
from nautilus_trader.model.objects import Money, Price, Quantity
from nautilus_trader.persistence.catalog import ParquetDataCatalog
from nautilus_trader.trading.strategy import Strategy

import captures
import peer
from peer import BUDGET, FEE_PERCENT, LATENCY, LOT, MAX_SLIPPAGE, STALE, WITHIN

VENUE = Venue("POLYMARKET")


def instrument(slug, start, end):
    return BinaryOption(
        InstrumentId(Symbol(slug), VENUE),
        Symbol(slug),
        AssetClass.CRYPTOCURRENCY,
        USDC,
        3,
        6,
        Price(0.001, 3),
        Quantity(0.000001, 6),
        (start - 86_400_000_000) * 1000,
        (end + 86_400_000_000) * 1000,
        start * 1000,
        start * 1000,
    )


def orders(side, levels):
    out = [
        BookOrder(side, Price(p / captures.ONE, 3), Quantity(s / 1e6, 6), i + 1)
        for i, (p, s) in enumerate(levels[: captures.DEPTH])
    ]
    empty = BookOrder(side, Price(0, 3), Quantity(0, 6), 0)
    return out + [empty] * (captures.DEPTH - len(out))


def prepare(source, folder):
    markets = captures.read_markets(os.path.join(source, "markets.jsonl"))
    path = os.path.join(folder, "catalog")
    shutil.rmtree(path, ignore_errors=True)
    catalog = ParquetDataCatalog(path)
    books = 0
    for m in markets:
        i = instrument(m.slug, m.start, m.end)
        depths = [
            OrderBookDepth10(
                i.id,
                orders(OrderSide.BUY, b.bids),
                orders(OrderSide.SELL, b.asks),
                [1] * min(len(b.bids), 10) + [0] * (10 - min(len(b.bids), 10)),
                [1] * min(len(b.asks), 10) + [0] * (10 - min(len(b.asks), 10)),
                0,
                0,
                b.recv * 1000,
                b.recv * 1000,
            )
            for b in captures.open_books(source, m)
        ]
        books += len(depths)
        catalog.write_data(depths)
    with open(os.path.join(folder, "markets.json"), "w", encoding="utf-8") as f:
        json.dump([[m.slug, m.start, m.end, m.up_won] for m in markets], f)
    return {"books": books, "markets": len(markets)}


def load(folder):
    with open(os.path.join(folder, "markets.json"), encoding="utf-8") as f:
        markets = json.load(f)
    return markets, ParquetDataCatalog(os.path.join(folder, "catalog")).order_book_depth10()


class VenueFees(FeeModel):
    def get_commission(self, order, fill_qty, fill_px, instrument):
        p = fill_px.as_decimal()
        return Money(fill_qty.as_decimal() * p * (1 - p) * FEE_PERCENT / 100, USDC)


def levels_of(side):
    """(price, size) of a side in 1e-4 USD and 1e-6 share."""
    return [
        (round(float(o.price) * captures.ONE), round(float(o.size) * 1_000_000)) for o in side if o.size.raw > 0
    ]


def walk(levels, shares):
    value = fee = got = 0
    for p, s in levels:
        if got == shares:
            break
        take = min(s, shares - got)
        value += p * take
        fee += take * p * (captures.ONE - p) * FEE_PERCENT
        got += take
    return value, fee, got


def cut(fee):
    return fee // 10**11 * 10


class Position:
    def __init__(self):
        self.phase = "waiting"
        self.ask = self.shares = self.entered = self.left = 0
        self.reason = "expiry"
        self.spent = self.received = Decimal(0)
        self.fees = [Decimal(0), Decimal(0)]
        self.book = None


class Exits(Strategy):
    def __init__(self, rounds):
        super().__init__()
        self.rounds = rounds  # instrument id -> slug, start, end, up_won
        self.open = {}

    def on_start(self):
        for i, (_, start, _, _) in self.rounds.items():
            self.open[i] = Position()
            self.subscribe_order_book_depth(i, BookType.L2_MBP, depth=10)
            self.clock.set_time_alert_ns(f"start {i.symbol}", start * 1000, self.on_alert)

    def on_alert(self, event):
        what, slug = event.name.split(" ", 1)
        i = InstrumentId(Symbol(slug), VENUE)
        p, now = self.open[i], event.ts_event // 1000
        if what == "start":
            if p.book is not None:
                self.evaluate(i, p, now)
        elif what == "buy":
            self.enter(i, p, now)
        else:
            self.leave(i, p, now)

    def on_order_book_depth(self, depth):
        i = depth.instrument_id
        p = self.open[i]
        p.book = depth
        self.evaluate(i, p, depth.ts_event // 1000)

    def evaluate(self, i, p, now):
        slug, start, end, _ = self.rounds[i]
        if p.phase == "waiting":
            ask = p.book.asks[0]
            if now < start or now - start > WITHIN or ask.size.raw == 0:
                return
            p.ask = round(float(ask.price) * captures.ONE)
            if p.ask < peer.ASK_BELOW:
                if now + LATENCY >= end:
                    p.phase = "done"
                    return
                p.phase = "buying"
                self.clock.set_time_alert_ns(f"buy {slug}", (now + LATENCY) * 1000, self.on_alert)
        elif p.phase == "holding":
            value, _, got = walk(levels_of(p.book.bids), p.shares)
            stopped = got > 0 and value <= peer.STOP_LOSS * got
            if not stopped and (got == 0 or value < peer.TAKE_PROFIT * p.shares):
                return
            if now + LATENCY >= end:
                p.phase = "done"
                return
            p.phase = "selling"
            p.reason = "stop_loss" if stopped else "take_profit"
            self.clock.set_time_alert_ns(f"sell {slug}", (now + LATENCY) * 1000, self.on_alert)
        elif p.phase == "standing":
            self.leave(i, p, now)

    def blocked(self, p, now):
        bids, asks = levels_of(p.book.bids), levels_of(p.book.asks)
        return now - p.book.ts_event // 1000 > STALE or (bids and asks and bids[0][0] > asks[0][0])

    def enter(self, i, p, now):
        levels = [l for l in levels_of(p.book.asks) if l[0] <= p.ask + MAX_SLIPPAGE]
        low, high = 0, sum(s for _, s in levels) // LOT
        while low < high:
            n = (low + high + 1) // 2
            value, fee, _ = walk(levels, n * LOT)
            if -(-value // 10_000) + cut(fee) <= BUDGET:
                low = n
            else:
                high = n - 1
        if low == 0 or self.blocked(p, now):
            p.phase = "waiting"
            return
        p.shares, p.entered, p.phase = low * LOT, now, "holding"
        self.send(i, OrderSide.BUY, p.shares)
        self.evaluate(i, p, now)

    def leave(self, i, p, now):
        _, _, got = walk(levels_of(p.book.bids), p.shares)
        if got < p.shares or self.blocked(p, now):
            p.phase = "standing"
            return
        p.left, p.phase = now, "done"
        self.send(i, OrderSide.SELL, p.shares)

    def send(self, i, side, shares):
        self.submit_order(self.order_factory.market(i, side, Quantity(shares / 1e6, 6)))

    def on_order_filled(self, event):
        p = self.open[event.instrument_id]
        value, fee = event.last_px.as_decimal() * event.last_qty.as_decimal(), event.commission.as_decimal()
        if event.order_side == OrderSide.BUY:
            p.spent += value
            p.fees[0] += fee
        else:
            p.received += value
            p.fees[1] += fee


def run(data):
    markets, depths = data
    engine = BacktestEngine(BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True), run_analysis=False))
    engine.add_venue(
        VENUE,
        OmsType.NETTING,
        AccountType.CASH,
        [Money(1_000_000, USDC)],
        base_currency=USDC,
        book_type=BookType.L2_MBP,
        fee_model=VenueFees(),
    )
    rounds = {}
    for slug, start, end, up_won in markets:
        i = instrument(slug, start, end)
        engine.add_instrument(i)
        rounds[i.id] = (slug, start, end, up_won)
    engine.add_data(depths)
    strategy = Exits(rounds)
    engine.add_strategy(strategy)
    engine.run()
    trades = []
    for i, p in strategy.open.items():
        if p.spent == 0:
            continue
        slug, _, end, up_won = rounds[i]
        fees = [int(f * 100_000) * 10 for f in p.fees]
        cost = int((p.spent * 1_000_000).to_integral_value("ROUND_CEILING")) + fees[0]
        if p.left:
            proceeds = int(p.received * 1_000_000) - fees[1]
        else:
            proceeds, p.reason = p.shares * up_won, "expiry"
        trades.append(peer.trade(slug, p.entered, p.shares, cost, p.left or end, p.reason, proceeds))
    engine.dispose()
    return trades


if __name__ == "__main__":
    peer.main("nautilus_trader", prepare, load, run)
