// The numbers of a sentence: which fields of the strategy they set, where they stand,
// and how they are written when they change.
import type { Parsed, Span } from './api'
import { cents, duration, plain, reading } from './strategy'
import { Places } from './marks'

type Unit = 'price' | 'seconds' | 'usd' | 'number'

/** A number of the sentence that a sweep can vary. */
export interface Place {
  field: string // path in the strategy
  name: string
  unit: Unit
  value: number
  start: number // of the number in the sentence, in UTF-16
  end: number
  per: number // what the written number is divided by to give the size of the value: 100 for cents
}

interface Wanted {
  field: string
  name: string
  unit: Unit
  value: number | null | undefined
}

/** wanted lists the numbers of a strategy, in the order of a sentence. */
function wanted({ strategy: s }: Parsed): Wanted[] {
  const out: Wanted[] = []
  const conditions = (list: Parsed['strategy']['entry'], at: string) =>
    list.forEach((c, i) => {
      const field = `${at}.${i}`
      const unit: Unit = c.type.startsWith('time')
        ? 'seconds'
        : c.type.endsWith('depth')
          ? 'usd'
          : c.type === 'imbalance'
            ? 'number'
            : 'price'
      out.push({ field: field + '.threshold', name: reading(c), unit, value: c.threshold })
      out.push({
        field: field + '.within_seconds',
        name: c.type === 'price_change' ? `time of ${reading(c)}` : 'time for the entry',
        unit: 'seconds',
        value: c.within_seconds,
      })
    })
  conditions(s.entry, 'entry')
  s.entry_any?.forEach((group, i) => conditions(group, `entry_any.${i}`))
  const e = s.exit
  const exit = (key: string, name: string, unit: Unit, value: number | null | undefined) =>
    out.push({ field: 'exit.' + key, name, unit, value })
  exit('take_profit', 'take profit', 'price', e.take_profit)
  exit('take_profit_offset', 'take profit above entry', 'price', e.take_profit_offset)
  exit('stop_loss', 'stop loss', 'price', e.stop_loss)
  exit('stop_loss_offset', 'stop loss below entry', 'price', e.stop_loss_offset)
  exit('trailing_stop', 'trailing stop', 'price', e.trailing_stop)
  exit('max_hold_seconds', 'time held', 'seconds', e.max_hold_seconds)
  exit('exit_before_seconds', 'exit before the end', 'seconds', e.exit_before_seconds)
  out.push({
    field: 'budget_per_trade',
    name: 'money per trade',
    unit: 'usd',
    value: s.budget_per_trade,
  })
  return out
}

const number = /\d[\d,]*(?:\.\d+)?|\.\d+/g
const scales: Record<Unit, number[]> = {
  price: [1, 100],
  seconds: [1, 1 / 60, 1 / 3600],
  usd: [1, 1 / 1000],
  number: [1, 100],
}
const near = (a: number, b: number) => Math.abs(a - b) < 1e-9 * Math.max(1, Math.abs(b))

/** sets tells whether a phrase may hold the number of a field: the phrase of the field, of what it is a part of, or of the whole entry. */
const sets = (s: Span, field: string) => field === s.field || field.startsWith(s.field + '.')

/** placesOf finds the numbers of a sentence that set a field of what it was read as. One that is not written in figures has no place. */
export function placesOf(parsed: Parsed): Place[] {
  const at = new Places(parsed.prompt)
  const out: Place[] = []
  const taken = new Set<number>()
  for (const w of wanted(parsed)) {
    if (w.value === null || w.value === undefined || w.value === 0) continue
    const size = Math.abs(w.value)
    // The closest phrase first: entry.0 before entry.
    const phrases = parsed.parse.spans
      .filter((s) => sets(s, w.field))
      .sort((a, b) => b.field.length - a.field.length)
    const found = phrases
      .flatMap((s) => {
        const from = at.utf16(s.start)
        return [...parsed.prompt.slice(from, at.utf16(s.end)).matchAll(number)].map((m) => ({
          start: from + m.index,
          end: from + m.index + m[0].length,
          n: Number(m[0].replaceAll(',', '')),
        }))
      })
      .flatMap((m) =>
        scales[w.unit].filter((per) => near(m.n / per, size)).map((per) => ({ ...m, per })),
      )
    const one = found.find((m) => !taken.has(m.start))
    if (!one) continue
    taken.add(one.start)
    out.push({
      field: w.field,
      name: w.name,
      unit: w.unit,
      value: w.value,
      start: one.start,
      end: one.end,
      per: one.per,
    })
  }
  return out
}

/** rewritten is the sentence with other values at the places of the old ones. */
export function rewritten(prompt: string, changes: readonly [Place, number][]): string {
  let out = prompt
  for (const [p, v] of [...changes].sort((a, b) => b[0].start - a[0].start))
    out = out.slice(0, p.start) + plain(Math.abs(v) * p.per) + out.slice(p.end)
  return out
}

/** valueOf reads a field of a strategy by its path. */
export const valueOf = (strategy: unknown, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((x, key) => (x as Record<string, unknown> | null | undefined)?.[key], strategy)

export const valueWords = (unit: Unit, v: number): string =>
  unit === 'price'
    ? cents(v)
    : unit === 'seconds'
      ? duration(v)
      : unit === 'usd'
        ? '$' + plain(v)
        : plain(v)

/** stepOf is a round distance between neighbours of a value. */
export function stepOf(p: Pick<Place, 'unit' | 'value'>): number {
  const size = Math.abs(p.value)
  if (p.unit === 'price') return size >= 0.15 ? 0.05 : size >= 0.05 ? 0.02 : 0.01
  const rough = size / 5
  return (
    (p.unit === 'seconds'
      ? [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800]
      : [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000]
    ).findLast((s) => s <= rough) ?? (p.unit === 'seconds' ? 1 : 0.01)
  )
}

/** valuesOf are so many neighbours of a value, itself among them, lowest first; those that no strategy could have are left out. */
export function valuesOf(p: Pick<Place, 'unit' | 'value'>, step: number, count: number): number[] {
  const out: number[] = []
  const half = (count - 1) / 2
  for (let k = -half; k <= half; k++) {
    const v = Number((p.value + k * step).toFixed(6))
    if (v === 0 || Math.sign(v) !== Math.sign(p.value) || (p.unit === 'price' && Math.abs(v) >= 1))
      continue
    out.push(v)
  }
  return out
}
