"""Requests and answers. Made of the OpenAPI document by tools/generate.py."""

from __future__ import annotations

import sys
from typing import Any, Literal, TypeAlias, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired

Category: TypeAlias = Literal['crypto', 'sports']


class Series(TypedDict):
    """
    A recurring question.
    """

    id: str
    slug: str
    title: str
    recurrence: str | None
    category: Category
    tags: list[str]
    market_count: int
    updated_at: str | None


class Metadata(TypedDict):
    count: int
    limit: int
    next_cursor: str | None


class SeriesList(TypedDict):
    data: list[Series]
    metadata: Metadata


Status: TypeAlias = Literal['open', 'closed', 'resolved']


class Event(TypedDict):
    """
    Markets that are decided together.
    """

    id: str
    slug: str
    title: str
    series_id: str | None
    series_slug: str | None
    category: Category
    status: Status
    tags: list[str]
    start_date: str | None
    end_date: str | None
    market_count: int
    updated_at: str | None


class EventList(TypedDict):
    data: list[Event]
    metadata: Metadata


class Token(TypedDict):
    """
    An outcome of a market.
    """

    id: str
    label: str


class Recorded(TypedDict):
    """
    What the archive has of a market.
    """

    captures: int
    coverage: float
    winner: str | None


class MarketItem(TypedDict):
    """
    A market in a list.
    """

    id: str
    slug: str
    question: str
    status: Status
    start_date: str | None
    end_date: str | None
    tokens: list[Token]
    recorded: NotRequired[Recorded]


class MarketItemList(TypedDict):
    data: list[MarketItem]
    metadata: Metadata


class Market(TypedDict):
    """
    A market by itself.
    """

    id: str
    slug: str
    question: str
    description: str
    status: Status
    start_date: str | None
    end_date: str | None
    closed_at: NotRequired[str]
    winning_token_id: NotRequired[str]
    winning_token_label: NotRequired[str]
    tokens: list[Token]
    category: Category
    event_id: str | None
    event_slug: str | None
    series_slug: str | None
    tags: list[str]
    updated_at: str | None


Gap = TypedDict(
    'Gap',
    {
        'token_id': str,
        'from': str,
        'to': str,
    },
)


class GapList(TypedDict):
    """
    What the sources of a market missed.
    """

    market_id: str
    count: int
    data: list[Gap]


class TagList(TypedDict):
    count: int
    data: list[str]


class HoldingOfDay(TypedDict):
    day: str
    markets: int
    resolved: int
    captured: int
    captures: int
    coverage: float


class Holding(TypedDict):
    category: Category
    watermark: str | None
    markets: int
    resolved: int
    captured: int
    captures: int
    first_day: str
    last_day: str
    simulated: bool
    days: list[HoldingOfDay]


class Rounds(TypedDict):
    coin: str
    market_type: str
    first_end: str
    last_end: str
    rounds: int
    inferred: int


class Archive(TypedDict):
    count: int
    data: list[Holding]
    rounds: NotRequired[list[Rounds]]


Resolution: TypeAlias = Literal[
    '250ms', '1s', '5s', '15s', '30s', '1m', '60s', '5m', '10m', '15m', '1h', '6h', '1d'
]


class PricePoint(TypedDict):
    """
    A token's price in a bucket.
    """

    t: str
    p: float


class MarketPrices(TypedDict):
    market_id: str
    resolution: Resolution
    tokens: dict[str, str]
    data: dict[str, list[PricePoint]]
    metadata: Metadata


class MetricsPoint(TypedDict):
    """
    A market's metrics in a bucket.
    """

    t: str
    liquidity: float
    spread: float
    volume: float


class MarketMetrics(TypedDict):
    market_id: str
    resolution: Resolution
    data: list[MetricsPoint]
    metadata: Metadata


class TokenPrices(TypedDict):
    market_id: str
    token_id: str
    token_label: str
    resolution: Resolution
    data: list[PricePoint]
    metadata: Metadata


class Quote(TypedDict):
    """
    The last best bid and ask in the bucket.
    """

    t: str
    bid: float | None
    bid_size: float | None
    ask: float | None
    ask_size: float | None


class MarketQuotes(TypedDict):
    market_id: str
    resolution: Resolution
    tokens: dict[str, str]
    data: dict[str, list[Quote]]
    metadata: Metadata


class TokenQuotes(TypedDict):
    market_id: str
    token_id: str
    token_label: str
    resolution: Resolution
    data: list[Quote]
    metadata: Metadata


class Tally(TypedDict):
    """
    Which try of its rounds something is; `tries_before` are independent ones.
    """

    look: int
    tries_before: float


Sampling: TypeAlias = Literal['recent', 'random']


Slippage: TypeAlias = float | Literal['none']


Fees: TypeAlias = Literal['venue', 'none']


Winners: TypeAlias = Literal['official', 'inferred']


Include: TypeAlias = Literal['fills', 'sensitivity', 'after']


HoldOut = TypedDict(
    'HoldOut',
    {
        'from': str,
        'opened_at': str | None,
        'tries': int | None,
        'seen_before': int,
    },
)


Options = TypedDict(
    'Options',
    {
        'sampling': Sampling,
        'seed': int,
        'from': str | None,
        'to': str | None,
        'latency_ms': int,
        'max_slippage': Slippage,
        'stale_ms': int,
        'fees': Fees,
        'winners': Winners,
        'min_coverage': float,
        'queue': NotRequired[str],
        'hold_out': NotRequired[HoldOut],
        'baseline': bool,
        'include': list[Include],
    },
)


class Headline(TypedDict):
    markets_found: int
    markets_traded: int
    win_rate: float
    total_pnl: float
    mean_pnl: float | None
    mean_pnl_interval: list[float] | None
    excess_mean_pnl: float | None
    verdict: Literal['not_enough_evidence', 'positive', 'negative', 'no_edge']
    max_drawdown: float


class Run(TypedDict):
    id: str
    state: Literal['queued', 'running', 'done', 'failed', 'cancelled']
    phase: Literal['', 'strategy', 'baseline']
    done: int
    total: int
    created_at: str
    started_at: str | None
    ended_at: str | None
    expires_at: str | None
    shared: bool
    cached: bool
    prompt: str
    summary: str
    coin: str
    market_type: str
    side: str
    sample_size: int
    budget: float
    tries: NotRequired[Tally]
    options: Options
    headline: Headline | None
    error: str | None


class Estimate(TypedDict):
    markets: int
    replays: int
    blocks: int
    seconds: float


class RunList(TypedDict):
    data: list[Run]
    metadata: Metadata


class Condition(TypedDict):
    type: Literal[
        'price',
        'best_ask',
        'best_bid',
        'spread',
        'ask_depth',
        'bid_depth',
        'imbalance',
        'price_change',
        'time_elapsed',
        'time_remaining',
    ]
    token: Literal['up', 'down', 'same', 'opposite'] | None
    comparator: Literal['lt', 'lte', 'gt', 'gte', 'crosses_above', 'crosses_below']
    threshold: float
    within_seconds: int | None


class OrderCondition(TypedDict):
    type: Literal[
        'price',
        'best_ask',
        'best_bid',
        'spread',
        'ask_depth',
        'bid_depth',
        'imbalance',
        'price_change',
        'time_elapsed',
        'time_remaining',
        'held_profit',
        'pair_cost',
        'since_entry',
    ]
    token: Literal['same', 'opposite'] | None
    comparator: Literal['lt', 'lte', 'gt', 'gte', 'crosses_above', 'crosses_below']
    threshold: float
    within_seconds: int | None


class LimitOrder(TypedDict):
    """
    A limit order: exactly one of rest_at, rest_from_bid and rest_from_ask. Null or left out: it takes what the book shows.
    """

    rest_at: NotRequired[float | None]
    rest_from_bid: NotRequired[float | None]
    rest_from_ask: NotRequired[float | None]
    post_only: NotRequired[bool | None]
    cancel_after_seconds: NotRequired[int | None]
    cancel_when: NotRequired[list[OrderCondition] | None]


class ThenOrder(TypedDict):
    do: Literal['buy', 'sell']
    token: Literal['same', 'opposite']
    on: NotRequired[
        Literal['entry', 'start', 'take_profit', 'stop_loss', 'end_of_window', 'exit']
        | None
    ]
    when: NotRequired[list[OrderCondition] | None]
    usd: NotRequired[float | None]
    shares: NotRequired[float | None]
    fraction: NotRequired[float | None]
    match: NotRequired[bool | None]
    order: NotRequired[LimitOrder | None]
    times: NotRequired[int | None]
    after_seconds: NotRequired[int | None]


class Again(TypedDict):
    """
    The round may be entered again while nothing is held. Null or left out: one entry.
    """

    max_entries: int
    after_seconds: NotRequired[int | None]
    after: NotRequired[
        list[
            Literal[
                'take_profit',
                'stop_loss',
                'end_of_window',
                'order',
                'merged',
                'expiry',
                'cancelled',
            ]
        ]
        | None
    ]


class Kelly(TypedDict):
    """
    By the edge over a fair value; needs bankroll.start.
    """

    probability: float
    fraction: float


class Size(TypedDict):
    """
    How much an entry buys, budget_per_trade at most: exactly one of the three. Null or left out: all of budget_per_trade.
    """

    shares: NotRequired[float | None]
    bankroll_fraction: NotRequired[float | None]
    kelly: NotRequired[Kelly | None]


class Bankroll(TypedDict):
    """
    One purse for all rounds, in US dollars; at least one field. Null or left out: every round has its own money.
    """

    start: NotRequired[float | None]
    daily_loss: NotRequired[float | None]
    max_open: NotRequired[float | None]
    max_losing_streak: NotRequired[int | None]


class Market1(TypedDict):
    coin: Literal[
        'BTC',
        'ETH',
        'SOL',
        'XRP',
        'DOGE',
        'BNB',
        'HYPE',
        'ADA',
        'AVAX',
        'LINK',
        'DOT',
        'LTC',
        'BCH',
        'TRX',
        'TON',
        'SHIB',
        'PEPE',
        'SUI',
        'APT',
        'ARB',
        'OP',
        'NEAR',
        'UNI',
        'AAVE',
        'XLM',
        'XMR',
        'ZEC',
        'ETC',
        'ATOM',
        'FIL',
        'ICP',
        'HBAR',
        'TAO',
        'WLD',
        'ENA',
        'ONDO',
        'WIF',
        'BONK',
        'PUMP',
        'TRUMP',
        'KAS',
        'SEI',
        'ANY',
    ]
    market_type: Literal['5m', '15m', '1h', '4h', '1d', 'ANY']


EntryAnyItem: TypeAlias = list[Condition]


class Exit(TypedDict):
    take_profit: float | None
    stop_loss: float | None
    hold_to_expiry: bool
    take_profit_offset: NotRequired[float | None]
    stop_loss_offset: NotRequired[float | None]
    trailing_stop: NotRequired[float | None]
    max_hold_seconds: NotRequired[int | None]
    exit_before_seconds: NotRequired[int | None]
    rest_take_profit: NotRequired[bool | None]


class Strategy(TypedDict):
    """
    An entry, an exit, the orders beside them and the money behind them, for up/down prediction markets. Prices are those of the market's tokens, in US dollars between 0 and 1.
    """

    market: Market1
    side: Literal['up', 'down', 'either']
    entry: list[Condition]
    entry_any: NotRequired[list[EntryAnyItem] | None]
    exit: Exit
    budget_per_trade: float
    sample_size: int
    order: NotRequired[LimitOrder | None]
    then: NotRequired[list[ThenOrder] | None]
    again: NotRequired[Again | None]
    merge: NotRequired[bool | None]
    size: NotRequired[Size | None]
    bankroll: NotRequired[Bankroll | None]


class Assumption(TypedDict):
    field: str
    value: Any
    why: str


class Span(TypedDict):
    start: int
    end: int
    text: str
    field: str


class IgnoredItem(TypedDict):
    start: int
    end: int
    text: str


class Model(TypedDict):
    """
    The language model that was asked; absent when none was.
    """

    name: str
    prompt_version: str
    prompt_hash: str


class Difference(TypedDict):
    field: str
    llm: Any
    rules: Any


class Parse(TypedDict):
    """
    How the prompt was understood.
    """

    summary: str
    assumptions: list[Assumption]
    spans: list[Span]
    ignored: list[IgnoredItem]
    model: NotRequired[Model]
    differences: NotRequired[list[Difference]]


Fill: TypeAlias = Literal[
    'book_ladder', 'best_quote', 'last_price', 'settlement', 'resting', 'merge'
]


class Leg(TypedDict):
    action: Literal['buy', 'sell', 'settle', 'merge']
    signal: str | None
    time: str
    as_of: str | None
    levels: list[list[float]]
    fill: Fill
    fee: float
    token: NotRequired[str]
    order: NotRequired[str]


class Opposite(TypedDict):
    shares: float
    cost: float
    avg_price: float


class Trade(TypedDict):
    market_id: str
    market_slug: str
    token_id: str
    token_label: str
    side: Literal['up', 'down']
    entry_time: str
    entry_price: float
    entry_fill: Fill
    shares: float
    cost: float
    exit_time: str
    exit_price: float | None
    exit_fill: Fill
    exit_reason: Literal[
        'take_profit', 'stop_loss', 'expiry', 'end_of_window', 'order', 'merged'
    ]
    proceeds: float
    fees: float
    pnl: float
    slippage: float
    coverage: NotRequired[float]
    entries: NotRequired[int]
    opposite: NotRequired[Opposite]
    legs: NotRequired[list[Leg]]


class Stats(TypedDict):
    mean_pnl: float | None
    sd_pnl: float | None
    median_pnl: float | None
    profit_factor: float | None
    max_drawdown: float
    longest_losing_streak: int
    avg_hold_seconds: float | None
    fees: float
    gross_pnl: float
    avg_entry_price: float | None
    edge: float | None
    win_rate_interval: list[float] | None
    mean_pnl_interval: list[float] | None
    verdict: Literal['not_enough_evidence', 'positive', 'negative', 'no_edge']


class CurvePoint(TypedDict):
    """
    Cumulative pnl from a time on.
    """

    time: str
    pnl: float


class Group(TypedDict):
    key: str
    trades: int
    win_rate: float
    total_pnl: float
    mean_pnl: float
    return_on_stake: float | None


class Baseline(TypedDict):
    entry_seconds: int
    markets_traded: int
    win_rate: float
    mean_pnl: float | None
    total_pnl: float
    excess_mean_pnl: float | None


class Warning(TypedDict):
    code: Literal[
        'inferred_winners',
        'no_exit',
        'few_trades',
        'weak_fills',
        'overlap',
        'low_coverage',
        'partial_entries',
        'defaults',
        'simulated',
        'no_fee_schedule',
        'entry_under_stop',
        'resting_fills',
        'one_path',
        'order_limit',
        'no_trades_heard',
    ]
    message: str


class QueueRule(TypedDict):
    """
    What one rule gives.
    """

    orders: int
    filled_shares: float
    fill_rate: float
    trades: int
    win_rate: float
    mean_pnl: float | None
    total_pnl: float
    verdict: Literal['not_enough_evidence', 'positive', 'negative', 'no_edge']
    filled_if_won: float | None
    filled_if_lost: float | None
    equity_curve: list[CurvePoint]


class QueueRules(TypedDict):
    """
    The same strategy under the three rules by which orders that rest fill.
    """

    through: QueueRule
    back: QueueRule
    front: QueueRule


class Analysis(TypedDict):
    first_round: str | None
    last_round: str | None
    staked: float
    return_on_stake: float | None
    avg_win: float | None
    avg_loss: float | None
    payoff: float | None
    break_even_win_rate: float | None
    max_at_risk: float
    max_open: int
    best_trade: int
    worst_trade: int
    baseline_curve: list[CurvePoint]
    round_ends: list[str]
    by_exit: list[Group]
    by_coin: list[Group]
    by_hour: list[Group]
    by_entry_price: list[Group]


class Refusals(TypedDict):
    too_late: int
    gap: int
    stale: int
    crossed: int
    no_liquidity: int
    capped: int
    below_min_size: int
    would_cross: NotRequired[int]
    self_cross: NotRequired[int]
    bad_limit: NotRequired[int]
    too_many: NotRequired[int]
    no_cash: NotRequired[int]
    no_edge: NotRequired[int]
    daily_loss: NotRequired[int]
    losing_streak: NotRequired[int]


class ThenRefusals(TypedDict):
    too_late: int
    gap: int
    stale: int
    crossed: int
    no_liquidity: int
    capped: int
    below_min_size: int
    would_cross: NotRequired[int]
    self_cross: NotRequired[int]
    bad_limit: NotRequired[int]
    too_many: NotRequired[int]
    no_cash: NotRequired[int]
    no_edge: NotRequired[int]
    daily_loss: NotRequired[int]
    losing_streak: NotRequired[int]


class Funnel(TypedDict):
    universe: int
    resolved: int
    captured: int
    covered: int
    sampled: int
    signalled: int
    filled: int
    refusals: Refusals
    then_refusals: NotRequired[ThenRefusals]


class SensitivityItem(TypedDict):
    latency_ms: int
    fees: Fees
    budget: float
    total_pnl: float


class Markout(TypedDict):
    after: str
    trades: int
    mean: float | None
    interval: list[float] | None


class Drawdown(TypedDict):
    median: float
    p95: float


class Trade1(TypedDict):
    markout_1s: float | None
    markout_5s: float | None
    markout_30s: float | None
    markout_settlement: float | None
    mae: float | None
    mfe: float | None


class After(TypedDict):
    """
    With `include: after`.
    """

    markouts: list[Markout]
    mean_mae: float | None
    mean_mfe: float | None
    min_track_record: int | None
    drawdown: Drawdown | None
    trades: list[Trade1]


class Pairs(TypedDict):
    pairs: float
    mean_cost: float | None
    stranded: int
    stranded_pnl: float


class Bankroll1(TypedDict):
    start: float | None
    end: float | None
    lowest_cash: float | None
    max_drawdown: float | None
    share: float | None
    most_open: float
    ruined_at: str | None


class Receipt(TypedDict):
    strategy: str
    options: str
    data: str
    engine: int
    report: str
    hold_out: NotRequired[HoldOut]


class Report(TypedDict):
    sample_size: int
    markets_found: int
    markets_traded: int
    win_rate: float
    total_pnl: float
    equity_curve: list[float]
    trades: list[Trade]
    stats: Stats
    analysis: Analysis
    baseline: NotRequired[Baseline | None]
    funnel: Funnel
    options: Options
    available: NotRequired[list[Rounds]]
    fee_schedules: list[str]
    warnings: list[Warning]
    sensitivity: NotRequired[list[SensitivityItem]]
    after: NotRequired[After]
    queue: NotRequired[QueueRules]
    pairs: NotRequired[Pairs]
    bankroll: NotRequired[Bankroll1]
    receipt: Receipt


class Backtest(TypedDict):
    prompt: str
    strategy: Strategy
    source: Literal['llm', 'rules']
    note: NotRequired[str]
    parse: NotRequired[Parse]
    report: Report


class Options1(TypedDict):
    """
    Options that take the place of those of the run.
    """

    winners: NotRequired[Winners]
    min_coverage: NotRequired[float]
    max_slippage: NotRequired[str]


class Remedy(TypedDict):
    """
    Another replay that does without what is warned of.
    """

    label: str
    options: Options1


class WarningWords(TypedDict):
    """
    A warning in words.
    """

    code: Literal[
        'inferred_winners',
        'no_exit',
        'few_trades',
        'weak_fills',
        'overlap',
        'low_coverage',
        'partial_entries',
        'defaults',
        'simulated',
        'no_fee_schedule',
        'entry_under_stop',
        'resting_fills',
        'one_path',
        'order_limit',
        'no_trades_heard',
    ]
    head: str
    text: str
    remedies: list[Remedy]


class Tile(TypedDict):
    name: str
    value: str
    note: str
    sign: int
    help: str


class FunnelItem(TypedDict):
    name: str
    words: str
    n: int


class RefusedItem(TypedDict):
    name: str
    words: str
    n: int


class Breakdown(TypedDict):
    name: str
    rows: list[Group]


class ReportWords(TypedDict):
    """
    A report in sentences. They name options of the API, never flags of a terminal.
    """

    verdict: str
    why: str
    headline: str
    look: NotRequired[str]
    lock: NotRequired[str]
    nothing: NotRequired[list[str]]
    baseline: NotRequired[str]
    tiles: list[Tile]
    funnel: list[FunnelItem]
    refused: list[RefusedItem]
    breakdowns: list[Breakdown]
    warnings: list[WarningWords]
    remedies: list[Remedy]


class RunWithResult(TypedDict):
    id: str
    state: Literal['queued', 'running', 'done', 'failed', 'cancelled']
    phase: Literal['', 'strategy', 'baseline']
    done: int
    total: int
    created_at: str
    started_at: str | None
    ended_at: str | None
    expires_at: str | None
    shared: bool
    cached: bool
    prompt: str
    summary: str
    coin: str
    market_type: str
    side: str
    sample_size: int
    budget: float
    tries: NotRequired[Tally]
    options: Options
    headline: Headline | None
    error: str | None
    result: Backtest | None
    words: NotRequired[ReportWords]


class Condition1(TypedDict):
    condition: Condition
    value: float | None
    holds: bool


class Look(TypedDict):
    time: str
    conditions: list[Condition1]


class QueueWear(TypedDict):
    """
    What one capture did to an order that rests.
    """

    time: str
    before: float | None
    ahead: float | None
    offered: float | None
    below: float
    at: float
    filled: float


class RestingOrder(TypedDict):
    """
    What became of one limit order.
    """

    order: str
    action: Literal['buy', 'sell', 'settle', 'merge']
    token: str
    price: float
    signal: str
    accepted: str
    ended: str
    end: str
    shares: float
    taken: float
    filled: float
    ahead: float | None
    wear: list[QueueWear]


class RestingOrders(TypedDict):
    """
    The limit orders of a round that were accepted, under each rule.
    """

    through: list[RestingOrder]
    back: list[RestingOrder]
    front: list[RestingOrder]


class Settlement(TypedDict):
    time: str
    shares: float
    payout: float
    proceeds: float


class Market2(TypedDict):
    id: str
    slug: str
    start: str
    end: str
    winner_basis: str
    payout: float


class EntryWord(TypedDict):
    start: int
    end: int
    text: str
    field: NotRequired[str]


class ExitWord(TypedDict):
    start: int
    end: int
    text: str
    field: NotRequired[str]


class Row(TypedDict):
    time: str
    exch: str | None
    token: str
    kind: str
    bid: float | None
    ask: float | None
    phase: str


class EntryCaptures(TypedDict):
    rows: list[Row]
    skipped: int


class ExitCaptures(TypedDict):
    rows: list[Row]
    skipped: int


class Level1(TypedDict):
    price: float
    shown: float | None
    earlier: float
    taken: float
    value: str
    fee: str


class Order(TypedDict):
    order: NotRequired[str]
    token: NotRequired[str]
    action: Literal['buy', 'sell', 'settle', 'merge']
    signal: str
    arrival: str
    retry: bool
    as_of: str | None
    fill: NotRequired[Fill]
    cap: float | None
    refused: NotRequired[str]
    levels: list[Level1]
    shares: float
    average: float
    cash: float
    fee: float


class JudgedItem(TypedDict):
    time: str
    executable_bid: float
    takeable_bid: float | None
    take_profit: float | None
    stop_loss: float | None
    high_water: float | None
    trigger: NotRequired[
        Literal[
            'take_profit', 'stop_loss', 'expiry', 'end_of_window', 'order', 'merged'
        ]
    ]


class FeeSchedule(TypedDict):
    name: str
    source: str
    formula: str


class Explanation(TypedDict):
    number: int
    of: int
    trade: Trade
    market: Market2
    differs: list[str]
    entry_words: list[EntryWord]
    exit_words: list[ExitWord]
    conditions: list[Condition1]
    before: Look | None
    entry_captures: EntryCaptures
    exit_captures: ExitCaptures
    orders: list[Order]
    resting: NotRequired[RestingOrders]
    judged: list[JudgedItem]
    looks: int
    settlement: Settlement | None
    fee_schedule: FeeSchedule


class Field(TypedDict):
    field: str
    a: str
    b: str


class ChangedItem(TypedDict):
    market_slug: str
    market_id: str
    fields: list[Field]
    pnl_a: float
    pnl_b: float
    pnl_change: float


class Exit1(TypedDict):
    a: str
    b: str
    trades: int
    pnl_change: float


class Number(TypedDict):
    name: str
    a: float | None
    b: float | None
    difference: float | None


class Deflated(TypedDict):
    look: int
    tries_before: float
    deflated_sharpe: float
    holds: bool


class Paired(TypedDict):
    rounds: int
    same_sample: bool
    mean_difference: float | None
    interval: list[float] | None
    answer: str
    deflated: NotRequired[Deflated]


class Words(TypedDict):
    """
    The comparison in sentences; the runs are A and B.
    """

    answer: str
    why: str
    numbers: list[list[str]]


class Comparison(TypedDict):
    same: bool
    fields: list[Field]
    only_a: list[Trade]
    only_b: list[Trade]
    changed: list[ChangedItem]
    equal: int
    exits: list[Exit1]
    numbers: list[Number]
    paired: Paired
    names: list[str]
    simulated: NotRequired[str]
    words: Words


class Share(TypedDict):
    token: str
    path: str


class SweepAxis(TypedDict):
    field: str
    values: list[float]


SweepOptions = TypedDict(
    'SweepOptions',
    {
        'sampling': Sampling,
        'seed': int,
        'from': str | None,
        'to': str | None,
        'latency_ms': int,
        'max_slippage': Slippage,
        'stale_ms': int,
        'fees': Fees,
        'winners': Winners,
        'min_coverage': float,
        'queue': NotRequired[str],
        'hold_out': NotRequired[HoldOut],
        'block_hours': int,
        'also_tried': int,
        'tries_before': NotRequired[float],
        'deflation': NotRequired[str],
    },
)


class SweepHeadline(TypedDict):
    markets_found: int
    tried: int
    eligible: int
    verdict: Literal['not_enough_evidence', 'no_gain', 'luck', 'unproven', 'edge']
    best_mean_pnl: float | None
    walk_forward_trades: int
    walk_forward_total_pnl: float


class SweepRun(TypedDict):
    id: str
    state: Literal['queued', 'running', 'done', 'failed', 'cancelled']
    phase: Literal['', 'strategy', 'baseline']
    done: int
    total: int
    created_at: str
    started_at: str | None
    ended_at: str | None
    expires_at: str | None
    shared: bool
    cached: bool
    prompt: str
    summary: str
    coin: str
    market_type: str
    side: str
    sample_size: int
    budget: float
    tries: NotRequired[Tally]
    axes: list[SweepAxis]
    combinations: int
    options: SweepOptions
    headline: SweepHeadline | None
    error: str | None


class SweepList(TypedDict):
    data: list[SweepRun]
    metadata: Metadata


class Beside(TypedDict):
    deflation: str
    independent_tries: float
    sharpe_sd: float
    expected_max_sharpe: float
    expected_max_pnl_per_end: float
    deflated_sharpe: float


class Spa(TypedDict):
    p: float
    p_lower: float
    p_upper: float
    statistic: float
    without_edge_median: float
    without_edge_95: float
    resamples: int


class Neighbours(TypedDict):
    count: int
    eligible: int
    positive: int
    mean_pnl: float | None


class SweepBest(TypedDict):
    number: int
    values: list[float | None]
    eligible: bool
    trades: int
    ends: int
    win_rate: float | None
    total_pnl: float
    mean_pnl: float | None
    mean_pnl_interval: list[float] | None
    verdict: Literal['not_enough_evidence', 'positive', 'negative', 'no_edge']
    return_on_stake: float | None
    sharpe: float | None
    survives: bool
    p_stepdown: float | None
    skew: float
    kurtosis: float
    pnl_per_end: float
    deflation: str
    independent_tries: float
    sharpe_sd: float
    expected_max_sharpe: float
    expected_max_pnl_per_end: float
    deflated_sharpe: float
    beside: Beside
    spa: Spa
    neighbours: Neighbours
    more_trades: int
    more_ends: int


Block = TypedDict(
    'Block',
    {
        'from': str,
        'to': str,
        'past_ends': int,
        'purged_ends': int,
        'variant': int | None,
        'values': list[float] | None,
        'past_mean_pnl': float | None,
        'trades': int,
        'total_pnl': float,
        'mean_pnl': float | None,
    },
)


class WalkForward(TypedDict):
    block_hours: int
    blocks: list[Block]
    choices: int
    trades: int
    total_pnl: float
    mean_pnl: float | None
    mean_pnl_interval: list[float] | None
    verdict: Literal['not_enough_evidence', 'positive', 'negative', 'no_edge']


class SweepVariant(TypedDict):
    number: int
    values: list[float | None]
    eligible: bool
    trades: int
    ends: int
    win_rate: float | None
    total_pnl: float
    mean_pnl: float | None
    mean_pnl_interval: list[float] | None
    verdict: Literal['not_enough_evidence', 'positive', 'negative', 'no_edge']
    return_on_stake: float | None
    sharpe: float | None
    survives: bool
    p_stepdown: float | None


class InvalidItem(TypedDict):
    values: list[float]
    reason: str


class Funnel1(TypedDict):
    universe: int
    resolved: int
    captured: int
    covered: int
    sampled: int
    signalled: int
    filled: int


class Overfit(TypedDict):
    probability: float
    loss_probability: float
    blocks: int
    splits: int


class Receipt1(TypedDict):
    strategy: str
    options: str
    data: str
    engine: int
    report: str
    hold_out: NotRequired[HoldOut]


class Sweep(TypedDict):
    axes: list[SweepAxis]
    combinations: int
    duplicates: int
    invalid: list[InvalidItem]
    tried: int
    eligible: int
    survivors: int
    funnel: Funnel1
    ends: int
    first_round: str | None
    last_round: str | None
    verdict: Literal['not_enough_evidence', 'no_gain', 'luck', 'unproven', 'edge']
    best: SweepBest | None
    walk_forward: WalkForward | None
    overfit: Overfit | None
    own: SweepVariant
    variants: list[SweepVariant]
    cells: list[int]
    options: SweepOptions
    warnings: list[Warning]
    available: NotRequired[list[Rounds]]
    receipt: Receipt1


class SweepResult(TypedDict):
    prompt: str
    strategy: Strategy
    source: Literal['llm', 'rules']
    note: NotRequired[str]
    parse: NotRequired[Parse]
    sweep: Sweep


class SweepWords(TypedDict):
    """
    What a sweep found, in sentences; those that do not apply are empty.
    """

    verdict: str
    why: str
    luck: str
    best: str
    plateau: str
    survive: str
    walk: str
    counts: str
    blocks: str
    look: NotRequired[str]
    lock: NotRequired[str]
    warnings: list[WarningWords]


class SweepWithResult(TypedDict):
    id: str
    state: Literal['queued', 'running', 'done', 'failed', 'cancelled']
    phase: Literal['', 'strategy', 'baseline']
    done: int
    total: int
    created_at: str
    started_at: str | None
    ended_at: str | None
    expires_at: str | None
    shared: bool
    cached: bool
    prompt: str
    summary: str
    coin: str
    market_type: str
    side: str
    sample_size: int
    budget: float
    tries: NotRequired[Tally]
    axes: list[SweepAxis]
    combinations: int
    options: SweepOptions
    headline: SweepHeadline | None
    error: str | None
    result: SweepResult | None
    words: NotRequired[SweepWords]


class SharedRun(TypedDict):
    created_at: str
    result: Backtest
    words: NotRequired[ReportWords]


class DataPoints(TypedDict):
    metrics: bool
    prices: bool
    books: bool


class Limits(TypedDict):
    requests_per_minute: int
    requests_remaining: int
    granularity_allowed: str
    max_history_days: int
    data_points: DataPoints


class Usage(TypedDict):
    """
    How a key stands.
    """

    plan: str
    organization: str
    limits: Limits
    reset_at: int | None


class Parsed(TypedDict):
    prompt: str
    strategy: Strategy
    source: Literal['llm', 'rules']
    note: NotRequired[str]
    parse: Parse


class Quantity(TypedDict):
    type: str
    unit: str
    min: float | None
    max: float | None
    comparators: list[str]
    tokens: list[str | None]
    description: str


class ConditionList(TypedDict):
    count: int
    data: list[Quantity]
    orders: list[Quantity]


CalibrationOptions = TypedDict(
    'CalibrationOptions',
    {
        'coin': str,
        'market_type': str,
        'from': str | None,
        'to': str | None,
        'winners': Winners,
        'last': int,
        'bands': int,
        'times': int,
        'hold_out': NotRequired[HoldOut],
    },
)


class CalibrationScores(TypedDict):
    n: int
    brier: float | None
    log: float | None
    reliability: float | None
    resolution: float | None
    uncertainty: float | None
    within: float | None


CalibrationCell = TypedDict(
    'CalibrationCell',
    {
        'from': float,
        'to': float,
        'n': int,
        'ends': int,
        'mean_price': float | None,
        'outcome_rate': float | None,
        'gap': float | None,
        'band': list[float] | None,
        'off': bool,
        'sure': bool,
    },
)


class CalibrationTime(TypedDict):
    left: float
    seconds_left: float
    scores: CalibrationScores
    cells: list[CalibrationCell]


class LeftOut(TypedDict):
    no_price: int
    gap: int
    stale: int


class Calibration(TypedDict):
    options: CalibrationOptions
    universe: int
    resolved: int
    captured: int
    sampled: int
    first_round: str | None
    last_round: str | None
    left_out: LeftOut
    observations: int
    ends: int
    verdict: Literal['not_enough_evidence', 'calibrated', 'off']
    judged: int
    off: int
    sure: int
    scores: CalibrationScores
    by_time: list[CalibrationTime]
    by_price: list[CalibrationCell]
    warnings: list[Warning]
    available: NotRequired[list[Rounds]]


class TriesFamily(TypedDict):
    """
    The tries on rounds of one coin and length, of one side.
    """

    coin: str
    market_type: str
    side: str
    tries: int
    variants: int
    independent_tries: float
    unfinished: int
    first_made_at: str
    last_made_at: str


class CountedTry(TypedDict):
    """
    A backtest or sweep that counts.
    """

    coin: str
    market_type: str
    side: str
    kind: str
    prompt: str
    variants: int
    independent_tries: float
    look: int
    tries_before: float
    first_round: str
    last_round: str
    made_at: str
    done_at: str | None


class TriesReset(TypedDict):
    """
    Tries that were taken out of the count.
    """

    coin: str
    market_type: str
    tries: int
    reason: str
    made_at: str


Lockbox = TypedDict(
    'Lockbox',
    {
        'from': str,
        'opened_at': str | None,
        'tries': int | None,
        'seen_before': int,
        'made_at': str,
    },
)


class TriesRecord(TypedDict):
    """
    What was tried, by organization.
    """

    families: list[TriesFamily]
    tries: list[CountedTry]
    resets: list[TriesReset]
    lockboxes: list[Lockbox]


class Health(TypedDict):
    status: Literal['ok', 'ready']


LevelItem: TypeAlias = float


Level: TypeAlias = list[LevelItem]
"""
[price, size]
"""


Deflation: TypeAlias = Literal['null', '2014']


Reader: TypeAlias = Literal['auto', 'rules']


Moment: TypeAlias = str | float | None


SlippageLimit: TypeAlias = float | Literal['none'] | None


class VariedField(TypedDict):
    field: str
    values: list[float]


VariedRange = TypedDict(
    'VariedRange',
    {
        'field': str,
        'from': float,
        'to': float,
        'step': float,
    },
)


ErrorCode: TypeAlias = Literal[
    'bad_request',
    'unsupported_signal',
    'unauthorized',
    'forbidden',
    'plan_required',
    'not_found',
    'conflict',
    'method_not_allowed',
    'payload_too_large',
    'rate_limited',
    'internal_error',
    'unavailable',
]


class LeftOutItem(TypedDict):
    start: int
    end: int
    text: str


class Offer(TypedDict):
    strategy: Any
    summary: str
    left_out: NotRequired[list[LeftOutItem]]
    read_by_model_alone: NotRequired[list[str]]
    likely: NotRequired[list[str]]


class Phrase(TypedDict):
    start: int
    end: int
    text: str
    message: str


class ErrorBody(TypedDict):
    """
    Every error but a 422.
    """

    error: ErrorCode
    message: str
    suggestion: NotRequired[str]
    confirm: NotRequired[Offer]
    choices: NotRequired[list[Offer]]
    at: NotRequired[list[Phrase]]
    spans: NotRequired[list[Span]]


class DetailItem(TypedDict):
    loc: list[str | int]
    msg: str
    type: str


class ValidationError(TypedDict):
    detail: list[DetailItem]
    message: str


class Book(TypedDict):
    """
    The last book in the bucket.
    """

    t: str
    bids: list[Level]
    asks: list[Level]


class MarketBooks(TypedDict):
    market_id: str
    resolution: Resolution
    tokens: dict[str, str]
    data: dict[str, list[Book]]
    metadata: Metadata


class TokenBooks(TypedDict):
    market_id: str
    token_id: str
    token_label: str
    resolution: Resolution
    data: list[Book]
    metadata: Metadata


class ParseRequest(TypedDict):
    prompt: str
    sampleSize: NotRequired[int | None]
    budget: NotRequired[float | None]
    parser: NotRequired[Reader | None]


BacktestOptions = TypedDict(
    'BacktestOptions',
    {
        'sampling': NotRequired[Sampling | None],
        'seed': NotRequired[int | None],
        'from': NotRequired[Moment],
        'to': NotRequired[Moment],
        'latency_ms': NotRequired[int | None],
        'max_slippage': NotRequired[SlippageLimit],
        'stale_ms': NotRequired[int | None],
        'fees': NotRequired[Fees | None],
        'winners': NotRequired[Winners | None],
        'min_coverage': NotRequired[float | None],
        'baseline': NotRequired[bool | None],
        'include': NotRequired[list[Include] | None],
    },
)


SweepRequestOptions = TypedDict(
    'SweepRequestOptions',
    {
        'sampling': NotRequired[Sampling | None],
        'seed': NotRequired[int | None],
        'from': NotRequired[Moment],
        'to': NotRequired[Moment],
        'latency_ms': NotRequired[int | None],
        'max_slippage': NotRequired[SlippageLimit],
        'stale_ms': NotRequired[int | None],
        'fees': NotRequired[Fees | None],
        'winners': NotRequired[Winners | None],
        'min_coverage': NotRequired[float | None],
        'block_hours': NotRequired[int | None],
        'also_tried': NotRequired[int | None],
        'deflation': NotRequired[Deflation | None],
    },
)


Vary: TypeAlias = str | VariedField | VariedRange


class BacktestRequest(TypedDict):
    """
    Exactly one of `prompt` and `strategy` is given; the other is left out or null.
    """

    prompt: NotRequired[str | None]
    strategy: NotRequired[Strategy | None]
    sampleSize: NotRequired[int | None]
    budget: NotRequired[float | None]
    options: NotRequired[BacktestOptions | None]


class SweepRequest(TypedDict):
    """
    Exactly one of `prompt` and `strategy` is given, the other left out or null; and what is varied.
    """

    prompt: NotRequired[str | None]
    strategy: NotRequired[Strategy | None]
    sampleSize: NotRequired[int | None]
    budget: NotRequired[float | None]
    vary: list[Vary]
    block_hours: NotRequired[int | None]
    also_tried: NotRequired[int | None]
    options: NotRequired[SweepRequestOptions | None]
