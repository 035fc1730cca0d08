// What a strategy says, in the words of its summary (strategy.Canonical.Summary).
import type { Options, Parsed, Span, Strategy } from './api'
import { count, counted, fixed } from './text'

type Condition = Strategy['entry'][number]

export const plain = (x: number) => String(Number(x.toFixed(6)))
export const cents = (x: number) => plain(x * 100) + 'c'

export function duration(seconds: number): string {
  const minutes = seconds > 0 && seconds % 60 === 0
  const n = minutes ? seconds / 60 : seconds
  const unit = minutes ? 'minute' : 'second'
  return n === 1 ? '1 ' + unit : `${plain(n)} ${unit}s`
}
const one = (seconds: number) => seconds === 1 || seconds === 60

export const tokenWords = (t: Condition['token']) =>
  t === 'up' ? "Up's" : t === 'down' ? "Down's" : t === 'same' ? 'its' : "the other side's"

const values: Record<string, string> = {
  best_ask: 'ask',
  best_bid: 'bid',
  ask_depth: 'ask depth',
  bid_depth: 'bid depth',
}
export const valueWords = (type: string) => values[type] ?? type

const comparisons = {
  lt: 'is below',
  lte: 'is at most',
  gt: 'is above',
  gte: 'is at least',
  crosses_above: 'crosses above',
  crosses_below: 'crosses below',
}
const degrees: Record<string, string> = {
  lt: 'less than',
  lte: 'at most',
  gt: 'more than',
  gte: 'at least',
}

/** reading names what a condition reads: "Up's price". */
export function reading(c: Condition): string {
  if (c.type === 'time_elapsed') return 'time passed'
  if (c.type === 'time_remaining') return 'time left'
  return `${tokenWords(c.token)} ${c.type === 'price_change' ? 'price change' : valueWords(c.type)}`
}

function condition(c: Condition): string {
  const x = c.threshold
  if (c.type === 'time_elapsed')
    return `${degrees[c.comparator]} ${duration(x)} ${one(x) ? 'has' : 'have'} passed`
  if (c.type === 'time_remaining')
    return `${degrees[c.comparator]} ${duration(x)} ${one(x) ? 'is' : 'are'} left`
  if (c.type === 'price_change') {
    const over = duration(c.within_seconds ?? 0)
    if (x > 0 && (c.comparator === 'gt' || c.comparator === 'gte'))
      return `${tokenWords(c.token)} price has risen by ${degrees[c.comparator]} ${cents(x)} in ${over}`
    if (x < 0 && (c.comparator === 'lt' || c.comparator === 'lte'))
      return `${tokenWords(c.token)} price has fallen by ${c.comparator === 'lt' ? 'more than' : 'at least'} ${cents(-x)} in ${over}`
    return `${tokenWords(c.token)} price change in ${over} ${comparisons[c.comparator]} ${cents(x)}`
  }
  const amount = c.type.endsWith('depth')
    ? '$' + plain(x)
    : c.type === 'imbalance'
      ? plain(x)
      : cents(x)
  return `${reading(c)} ${comparisons[c.comparator]} ${amount}`
}

const list = (cs: readonly Condition[]) => cs.map(condition).join(' and ')

function windowOf(cs: readonly Condition[]): string {
  const level = cs.find(
    (c) => c.type !== 'price_change' && !c.type.startsWith('time') && c.within_seconds,
  )
  return level ? `in the first ${duration(level.within_seconds!)}` : ''
}

function entry(s: Strategy): string {
  const groups = (s.entry_any ?? [])
    .map((g) => `(${windowOf(g) && windowOf(g) + ', '}${list(g)})`)
    .join(' or ')
  const what =
    s.entry.length === 0
      ? groups || 'at the start'
      : groups
        ? `${list(s.entry)}, and (${groups})`
        : list(s.entry)
  const over = windowOf(s.entry)
  return over ? `${what}, ${over}` : what
}

function market(m: Strategy['market']): string {
  if (m.coin === 'ANY')
    return m.market_type === 'ANY'
      ? 'markets of any coin and any length'
      : `${m.market_type} markets of any coin`
  return m.market_type === 'ANY'
    ? `${m.coin} markets of any length`
    : `${m.coin} ${m.market_type} markets`
}

/** Row is one field of a strategy: its name, its value, its kind of words, and the paths that set it. */
export interface Row {
  name: string
  value: string
  kind: string
  paths: string[]
  assumed: string[]
  words: string[]
}

/** rows lists what a sentence became, with the words that each field came from. */
export const rows = (parsed: Parsed): Row[] => rowsOf(parsed.strategy, parsed.parse)

/** rowsOf lists what a strategy says; without a trace no field has words or assumptions. */
export function rowsOf(s: Strategy, trace?: Parsed['parse']): Row[] {
  const e = s.exit
  const out: Row[] = []
  const add = (name: string, kind: string, value: string, ...paths: string[]) => {
    const within = (field: string) => paths.some((p) => field === p || field.startsWith(p + '.'))
    out.push({
      name,
      kind,
      value,
      paths,
      assumed: trace?.assumptions.filter((a) => within(a.field)).map((a) => a.why) ?? [],
      words: trace?.spans.filter((w: Span) => within(w.field)).map((w) => w.text) ?? [],
    })
  }
  add(
    'Buy',
    'what',
    `${s.side === 'either' ? 'either side' : s.side === 'up' ? 'Up' : 'Down'} on ${market(s.market)}`,
    'side',
    'market',
  )
  add('When', 'when', entry(s), 'entry', 'entry_any')
  if (e.take_profit != null)
    add('Target', 'out', `take profit at ${cents(e.take_profit)}`, 'exit.take_profit')
  if (e.take_profit_offset != null)
    add(
      'Target',
      'out',
      `take profit ${cents(e.take_profit_offset)} above entry`,
      'exit.take_profit_offset',
    )
  if (e.stop_loss != null)
    add('Stop', 'out', `stop loss at ${cents(e.stop_loss)}`, 'exit.stop_loss')
  if (e.stop_loss_offset != null)
    add(
      'Stop',
      'out',
      `stop loss ${cents(e.stop_loss_offset)} below entry`,
      'exit.stop_loss_offset',
    )
  if (e.trailing_stop != null)
    add('Trail', 'out', `trail by ${cents(e.trailing_stop)}`, 'exit.trailing_stop')
  if (e.max_hold_seconds)
    add('Sell', 'out', `after ${duration(e.max_hold_seconds)}`, 'exit.max_hold_seconds')
  const bare = !out.some((r) => r.kind === 'out')
  if (e.exit_before_seconds)
    add(
      'Exit',
      'out',
      `${duration(e.exit_before_seconds)} before the end`,
      'exit.exit_before_seconds',
      'exit.hold_to_expiry',
    )
  else
    add(
      bare ? 'Exit' : 'Else',
      'out',
      e.hold_to_expiry ? 'hold to expiry' : 'never hold to expiry',
      'exit.hold_to_expiry',
    )
  add('Money', 'money', `$${plain(s.budget_per_trade)} per trade`, 'budget_per_trade')
  add('Sample', 'money', counted(s.sample_size, 'market'), 'sample_size')
  return out
}

/** The options of a run that the page lets somebody choose. */
export type Choice = Omit<Options, 'include' | 'from' | 'to'> & { from: string; to: string }

export const defaults: Choice = {
  sampling: 'recent',
  seed: 1,
  from: '',
  to: '',
  latency_ms: 250,
  max_slippage: 0.05,
  stale_ms: 30000,
  fees: 'venue',
  winners: 'official',
  min_coverage: 0,
  baseline: true,
}

export const choiceOf = (o: Options): Choice => {
  const { include: _, from, to, ...rest } = o
  return { ...rest, from: from ?? '', to: to ?? '' }
}

/** asOptions writes a choice as the API takes it; fills and sensitivity come with every run of the page. */
export function asOptions(c: Choice): Record<string, unknown> {
  const out: Record<string, unknown> = { ...c, include: ['fills', 'sensitivity'] }
  if (!c.from) delete out.from
  if (!c.to) delete out.to
  return out
}

/** optionNames says every option that a result rests on, by name. */
export const optionNames = (c: Choice): [string, string][] => [
  ['Latency', `${count(c.latency_ms)} ms latency`],
  [
    'Slippage cap',
    c.max_slippage === 'none'
      ? 'pays any ask'
      : `pays up to ${fixed(Number(c.max_slippage), 2)} above the ask`,
  ],
  ['Stale after', `books up to ${plain(c.stale_ms / 1000)} s old`],
  ['Fees', c.fees === 'venue' ? 'venue fees' : 'no fees'],
  ['Winners', c.winners === 'official' ? 'official winners' : 'official and inferred winners'],
  ['Coverage', c.min_coverage > 0 ? `rounds recorded for ${plain(c.min_coverage * 100)}%` : ''],
  ['Sampling', c.sampling === 'random' ? `random sample, seed ${c.seed}` : ''],
  ['From', c.from && `from ${c.from}`],
  ['To', c.to && `to ${c.to}`],
  ['Baseline', c.baseline ? '' : 'no baseline'],
]

/** optionWords says the options that a result rests on, but for what is usual. */
export const optionWords = (c: Choice): string[] =>
  optionNames(c)
    .filter(
      ([name, words]) => words && (name !== 'Stale after' || c.stale_ms !== defaults.stale_ms),
    )
    .map(([, words]) => words)
