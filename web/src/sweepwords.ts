// What a sweep found, in the words of the report in the terminal (report/words).
import type { Sweep } from './api'
import { count, counted, dates, interval, rate, usd } from './text'

const need = '30 trades over 20 distinct round ends'

/** chance writes a probability, and does not round it to none or all. */
const chance = (x: number) =>
  x > 0 && x < 0.001 ? 'less than 0.1%' : x < 1 && x > 0.999 ? 'more than 99.9%' : rate(x)

const tried = (s: Sweep) =>
  counted(s.tried, 'variant') +
  (s.options.also_tried > 0 ? ` (${count(s.options.also_tried)} of them tried before)` : '')

/** sweepVerdict says what the best is worth and why, in two parts. */
export function sweepVerdict(s: Sweep): [string, string] {
  const all = tried(s)
  if (s.verdict === 'not_enough_evidence')
    return ['Not enough evidence', `None of ${all} has the ${need} that a verdict needs.`]
  if (s.verdict === 'no_gain')
    return [
      `None of ${all} made money`,
      `Of the ${count(s.eligible)} with at least ${need} none had a total pnl above zero.`,
    ]
  const b = s.best!
  const why = `If no variant had an edge, the best of them would look at least as good in ${chance(b.spa.p)} of cases (at most 5% is asked for); the deflated Sharpe ratio is ${chance(b.deflated_sharpe)} (at least 95% is asked for).`
  if (s.verdict === 'edge')
    return [
      `The best of ${all} is better than luck`,
      why + ' Chosen on the past it made money on what came next.',
    ]
  if (s.verdict === 'unproven')
    return [
      `The best of ${all} looks better than luck, but is unproven`,
      why + ' Choosing on the past and trading what came next does not confirm it.',
    ]
  return [`The best of ${all} looks good by luck`, why]
}

/** luckWords says what luck alone would give the best of so many. */
export const luckWords = (s: Sweep) =>
  `The best of ${count(s.tried)} would look good by luck alone` +
  (s.best
    ? `: without any edge it would be expected to make about ${usd(s.best.expected_max_pnl_per_end)} per round end; this one made ${usd(s.best.pnl_per_end)}.`
    : '.')

export const bestWords = (
  s: Sweep,
  name: (field: string) => string,
  value: (field: string, v: number) => string,
) =>
  s.best
    ? `The best: ${s.axes.map((a, k) => `${name(a.field)} ${s.best!.values[k] == null ? '–' : value(a.field, s.best!.values[k])}`).join(', ')}. ${usd(s.best.mean_pnl)} per trade (95% interval, as if it were the only one tried: ${interval(s.best.mean_pnl_interval, usd)}), ${usd(s.best.total_pnl)} in total over ${counted(s.best.trades, 'trade')}.`
    : ''

/** plateauWords says whether the best stands on a plateau. */
export function plateauWords(s: Sweep): string {
  const b = s.best
  if (!b) return ''
  const n = b.neighbours
  if (n.count === 0) return 'No variant lies beside the best.'
  if (n.eligible === 0)
    return `Beside the best: ${counted(n.count, 'variant')}, none with enough trades.`
  if (b.mean_pnl! <= 0)
    return `The ${counted(n.eligible, 'variant')} one step beside the best made ${usd(n.mean_pnl)} per trade on average.`
  const lead =
    n.mean_pnl! <= 0 || 2 * n.mean_pnl! < b.mean_pnl! || 4 * n.positive < 3 * n.eligible
      ? 'A peak, not a plateau'
      : 'A plateau'
  return `${lead}: the ${counted(n.eligible, 'variant')} one step beside the best made ${usd(n.mean_pnl)} per trade on average, the best itself ${usd(b.mean_pnl)}; ${count(n.positive)} of ${count(n.eligible)} above zero.`
}

/** blockWords writes the length of a block of the walk-forward: "6 hours", "day". */
export function blockWords(s: Sweep): string {
  const hours = s.walk_forward?.block_hours ?? 0
  const [n, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour']
  return n === 1 ? unit : counted(n, unit)
}

/** walkWords says what choosing on the past made. */
export function walkWords(s: Sweep): string {
  const w = s.walk_forward
  if (!w || w.blocks.length === 0) return 'There was nothing to walk forward over.'
  const lead = `Choosing on the past and trading the next ${blockWords(s)}: `
  if (w.trades === 0)
    return (
      lead +
      `no trades; in none of ${counted(w.blocks.length, 'block')} had any variant enough trades and a gain before.`
    )
  return (
    lead +
    `${usd(w.total_pnl)} in total, ${usd(w.mean_pnl)} per trade (95% interval: ${interval(w.mean_pnl_interval, usd)}) over ${counted(w.trades, 'trade')} in ${count(w.blocks.filter((b) => b.variant !== null).length)} of ${counted(w.blocks.length, 'block')}.`
  )
}

/** countsWords says how many variants there were. */
export function countsWords(s: Sweep): string {
  let out = `${counted(s.variants.length, 'variant')} of ${counted(s.combinations, 'combination')} replayed over ${counted(s.funnel.sampled, 'round')} (${counted(s.ends, 'distinct end')})`
  if (s.first_round) out += ', ' + dates(s.first_round, s.last_round!)
  out += `; ${count(s.eligible)} with at least 30 trades over 20 ends.`
  if (s.duplicates > 0)
    out += ` ${counted(s.duplicates, 'combination')} ${s.duplicates === 1 ? 'means' : 'mean'} the same as another.`
  if (s.invalid.length > 0)
    out += ` ${counted(s.invalid.length, 'combination')} ${s.invalid.length === 1 ? 'is' : 'are'} no valid strategy.`
  return out
}
