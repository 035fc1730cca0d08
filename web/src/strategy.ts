// What a strategy says, in the words of its summary (strategy.Canonical.Summary).
import type { Options, Parsed, Strategy } from './api'
import { kindOf, within } from './marks'
import { count, fixed } from './text'

type Condition = Strategy['entry'][number]

export const plain = (x: number) => String(Number(x.toFixed(6)))
export const cents = (x: number) => plain(x * 100) + 'c'

export function duration(seconds: number): string {
  const minutes = seconds > 0 && seconds % 60 === 0
  const n = minutes ? seconds / 60 : seconds
  const unit = minutes ? 'minute' : 'second'
  return n === 1 ? '1 ' + unit : `${plain(n)} ${unit}s`
}

export const tokenWords = (t: Condition['token']) =>
  t === 'up' ? "Up's" : t === 'down' ? "Down's" : t === 'same' ? 'its' : "the other side's"

const values: Record<string, string> = {
  best_ask: 'ask',
  best_bid: 'bid',
  ask_depth: 'ask depth',
  bid_depth: 'bid depth',
}
export const valueWords = (type: string) => values[type] ?? type

/** reading names what a condition reads: "Up's price". */
export function reading(c: Condition): string {
  if (c.type === 'time_elapsed') return 'time passed'
  if (c.type === 'time_remaining') return 'time left'
  return `${tokenWords(c.token)} ${c.type === 'price_change' ? 'price change' : valueWords(c.type)}`
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

/** sentences are those of a summary: how each begins (what is in front of its value is matched), the name of its field, and the paths that set it. */
const sentences: [begins: RegExp, name: string, ...paths: string[]][] = [
  [
    /^(?=Take profit)/,
    'Target',
    'exit.take_profit',
    'exit.take_profit_offset',
    'exit.rest_take_profit',
  ],
  [/^(?=Stop loss)/, 'Stop', 'exit.stop_loss', 'exit.stop_loss_offset'],
  [/^(?=Trail by)/, 'Trail', 'exit.trailing_stop'],
  [/^Sell (?=after)/, 'Sell', 'exit.max_hold_seconds'],
  [/^Exit /, 'Exit', 'exit.exit_before_seconds', 'exit.hold_to_expiry'],
  [/^Otherwise /, 'Else', 'exit.hold_to_expiry'],
  [/^(?=Hold|Never)/, 'Exit', 'exit.hold_to_expiry'],
  [/^(?=\$)/, 'Money', 'budget_per_trade'],
  [/^Sample of /, 'Sample', 'sample_size'],
  [/^(?=Rest )/, 'Order', 'order'],
  [/^Order \d+: /, 'Then', 'then'],
  [/^(?=Up to)/, 'Again', 'again'],
  [/^(?=Merge)/, 'Pairs', 'merge'],
  [/^Size /, 'Size', 'size'],
  [/^Bankroll of /, 'Bankroll', 'bankroll'],
  [/^(?=Stop for|At most)/, 'Limit', 'bankroll'],
]

/** rows lists what a summary says, field by field, with the words that each came from; without a trace there are none. */
export function rows(summary: string, trace?: Parsed['parse']): Row[] {
  const out: Row[] = []
  const add = (name: string, value: string, ...paths: string[]) =>
    out.push({
      name,
      kind: kindOf(paths[0]!),
      value,
      paths,
      assumed: trace?.assumptions.filter((a) => within(a.field, paths)).map((a) => a.why) ?? [],
      words: trace?.spans.filter((w) => within(w.field, paths)).map((w) => w.text.trim()) ?? [],
    })
  const [first = '', ...rest] = summary.replace(/\.$/, '').split('. ')
  const [, what, entry] =
    /^Buy (.*? markets(?: of any (?:coin|length)(?: and any length)?)?) (?:when )?(.*)$/.exec(
      first,
    ) ?? []
  add('Buy', what ?? first, 'side', 'market')
  if (entry) add('When', entry, 'entry', 'entry_any')
  let order = 0
  for (const said of rest) {
    const [begins, name, ...paths] = sentences.find(([b]) => b.test(said)) ?? [/^/, 'Also', '']
    const value = said.replace(begins, '')
    add(
      name,
      value.charAt(0).toLowerCase() + value.slice(1),
      ...(name === 'Then' ? [`then.${order++}`] : paths),
    )
  }
  return out
}

/** The options of a run that the page lets somebody choose. */
export type Choice = Omit<Options, 'include' | 'from' | 'to' | 'queue' | 'hold_out'> & {
  from: string
  to: string
}

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
  // A lockbox is no choice of a run, nor are the rules of its queue.
  const { include: _, queue: _q, hold_out: _h, from, to, ...rest } = o
  return { ...rest, from: from ?? '', to: to ?? '' }
}

/** asOptions writes a choice as the API takes it; fills, sensitivity and what came after the fills are in every run of the page. */
export function asOptions(c: Choice): Record<string, unknown> {
  const out: Record<string, unknown> = { ...c, include: ['fills', 'sensitivity', 'after'] }
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
