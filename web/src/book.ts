// The order book around a trade as a picture: what is asked of the server, what stands
// in each cell, and how it is painted.
import type { Book, Explanation, Gaps, Trade } from './api'
import { css, scaleOf, steps } from './chart'
import { named } from './lives'
import type { Rule } from './rules'
import { fine, fixed, instant, shares, span } from './text'

export const RESOLUTIONS: [string, number][] = [
  ['250ms', 0.25],
  ['1s', 1],
  ['5s', 5],
  ['15s', 15],
  ['30s', 30],
  ['1m', 60],
  ['5m', 300],
  ['15m', 900],
  ['1h', 3600],
]

export const MOST = 200 // buckets of one request

const AROUND = 10 // seconds before the signal, and after the exit

type Leg = NonNullable<Trade['legs']>[number]

/** sides of a trade: when it was decided, when it reached the book, and what it took. */
export function legsOf(t: Trade): Leg[] {
  return t.legs ?? []
}

/** executions are what a trade bought and sold, at prices of its own token: an order of the other one stands at one minus its price. */
const executions = (t: Trade): Leg[] =>
  legsOf(t)
    .filter((l) => l.action === 'buy' || l.action === 'sell')
    .map((l) =>
      l.token && l.token !== t.side ? { ...l, levels: l.levels.map(([p, n]) => [1 - p!, n!]) } : l,
    )

export const signalOf = (t: Trade) => instant(legsOf(t)[0]?.signal ?? t.entry_time)

/** frame is what one request asks: the finest resolution with at most 200 buckets, or a coarser one. */
export function frame(
  t: Trade,
  coarser: number,
  centre?: number,
): { name: string; by: number; from: number; to: number; index: number } {
  const start = signalOf(t) - AROUND
  const end = instant(t.exit_time) + AROUND
  let fit = RESOLUTIONS.findIndex(([, by]) => Math.ceil(end / by) - Math.floor(start / by) <= MOST)
  if (fit < 0) fit = RESOLUTIONS.length - 1
  const index = Math.max(0, Math.min(RESOLUTIONS.length - 1, fit + coarser))
  const [name, by] = RESOLUTIONS[index]!
  let from = Math.floor(start / by)
  let to = Math.ceil(end / by)
  if (to - from > MOST) {
    from = Math.max(from, Math.floor((centre ?? signalOf(t)) / by) - MOST / 2)
    to = Math.min(to, from + MOST)
  }
  return { name, by, from: from * by, to: to * by, index }
}

export const iso = (s: number) => new Date(Math.round(s * 1000)).toISOString().replace('.000Z', 'Z')

export interface Grid {
  by: number
  from: number
  columns: (Book | undefined)[]
  step: number // of price, in USD
  low: number // lowest and highest cell, in steps
  high: number
  gaps: [number, number][] // that the source declares, in seconds
}

export function gridOf(
  t: Trade,
  x: Explanation | undefined,
  rule: Rule,
  books: readonly Book[],
  missed: Gaps['data'],
  f: { by: number; from: number; to: number },
): Grid {
  const columns = new Array<Book | undefined>(Math.round((f.to - f.from) / f.by))
  for (const b of books) columns[Math.round((instant(b.t) - f.from) / f.by)] = b
  const near = books.flatMap((b) =>
    [...b.bids.slice(0, 5), ...b.asks.slice(0, 5)].map((l) => l[0]!),
  )
  const step = near.some((p) => Math.abs(p * 100 - Math.round(p * 100)) > 1e-6) ? 0.001 : 0.01
  const shown = books
    .flatMap((b) => [b.bids[0]?.[0], b.asks[0]?.[0]])
    .filter((p): p is number => p !== undefined)
  for (const l of executions(t)) for (const [p] of l.levels) shown.push(p!)
  for (const p of targets(x)) shown.push(p[0])
  for (const o of rested(t, x, rule)) shown.push(o.price)
  const gaps = missed
    .filter((g) => g.token_id === t.token_id)
    .map((g): [number, number] => [
      Math.max(f.from, instant(g.from)),
      Math.min(f.to, instant(g.to)),
    ])
    .filter(([a, b]) => a < b)
  const room = 0.06
  const low = Math.max(0, Math.min(...shown) - room)
  const high = Math.min(1, Math.max(...shown) + room)
  return {
    by: f.by,
    from: f.from,
    columns,
    step,
    low: Math.round(low / step),
    high: Math.round(high / step),
    gaps,
  }
}

/** targets are the prices at which the trade would be sold, with their names. */
function targets(x: Explanation | undefined): [number, string, string][] {
  const at = x?.judged.at(-1) ?? x?.judged[0]
  const out: [number, string, string][] = []
  if (at?.take_profit != null)
    out.push([at.take_profit, `take profit ${fixed(at.take_profit, 2)}`, 'gain'])
  if (at?.stop_loss != null) out.push([at.stop_loss, `stop loss ${fixed(at.stop_loss, 2)}`, 'loss'])
  return out
}

/** rested are the orders that rested, at the prices of the trade's token: one of the other token stands at one minus its own. */
function rested(t: Trade, x: Explanation | undefined, rule: Rule) {
  return (x?.resting?.[rule] ?? []).map((l) => ({
    price: l.token === t.side ? l.price : 1 - l.price,
    from: instant(l.accepted),
    to: instant(l.ended),
    name: named(l),
    fills: l.wear.filter((w) => w.filled > 0).map((w) => instant(w.time)),
  }))
}

/** marginsOf are those of the picture, in pixels; they grow with its text. */
export function marginsOf(el: Element): {
  u: number
  left: number
  right: number
  top: number
  bottom: number
} {
  const u = scaleOf(el)
  return { u, left: 38 * u, right: 10, top: 22 * u, bottom: 22 * u }
}

const rgb = (c: CanvasRenderingContext2D, name: string) => {
  c.fillStyle = css(name)
  const hex = c.fillStyle as string
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))
}

/** nameSide writes the name of a side where its line begins, away from the other: nobody needs the colours to tell them apart. */
function nameSide(
  c: CanvasRenderingContext2D,
  side: 'asks' | 'bids',
  g: Grid,
  to: { X: (t: number) => number; Y: (p: number) => number; u: number; top: number; low: number },
): void {
  const best = g.columns.map((b) => b?.[side][0]?.[0])
  const first = best.findIndex((p) => p !== undefined)
  if (first < 0) return
  const x = to.X(g.from + first * g.by) + 4
  const wide = c.measureText(side).width + 8
  const under = best.filter(
    (p, i) => p !== undefined && i >= first && to.X(g.from + i * g.by) < x + wide,
  )
  const away = side === 'asks' ? -1 : 1
  const line = away * Math.max(...under.map((p) => away * to.Y(p!)))
  const y = Math.max(to.top + 7 * to.u, Math.min(to.low - 7 * to.u, line + away * 10 * to.u))
  c.globalAlpha = 0.86
  c.fillStyle = css('surface')
  c.fillRect(x, y - 6 * to.u, wide, 12 * to.u)
  c.globalAlpha = 1
  c.fillStyle = css('ink')
  c.textAlign = 'left'
  c.fillText(side, x + 4, y)
}

export function paint(
  canvas: HTMLCanvasElement,
  t: Trade,
  x: Explanation | undefined,
  rule: Rule,
  g: Grid,
  column: number,
): void {
  const { u, left, right, top, bottom } = marginsOf(canvas)
  const letters = `${11 * u}px Inter, system-ui, sans-serif`
  const w = canvas.clientWidth
  const h = canvas.clientHeight
  const ratio = devicePixelRatio || 1
  canvas.width = w * ratio
  canvas.height = h * ratio
  const c = canvas.getContext('2d')!
  c.scale(ratio, ratio)
  const n = g.columns.length
  const cells = g.high - g.low + 1
  const right_ = w - right
  const low = h - bottom
  const X = (time: number) => left + ((time - g.from) / (g.by * n)) * (right_ - left)
  const Y = (p: number) => low - (p / g.step - g.low + 0.5) * ((low - top) / cells)
  c.font = letters
  c.textBaseline = 'middle'
  const ticks = steps(g.low * g.step, g.high * g.step, 5)
  c.strokeStyle = css('rule')
  for (const p of ticks) {
    c.beginPath()
    c.moveTo(left, Y(p))
    c.lineTo(right_, Y(p))
    c.stroke()
  }
  // One pixel a cell, scaled up without smoothing: no seams between cells.
  const small = document.createElement('canvas')
  small.width = n
  small.height = cells
  const q = small.getContext('2d')!
  const image = q.createImageData(n, cells)
  let most = 1
  for (const b of g.columns)
    if (b)
      for (const l of [...b.bids, ...b.asks]) {
        const at = Math.round(l[0]! / g.step)
        if (at >= g.low && at <= g.high && l[1]! > most) most = l[1]!
      }
  const scale = Math.log1p(most)
  for (const [side, name] of [
    ['bids', 'bid'],
    ['asks', 'ask'],
  ] as const) {
    const colour = rgb(q, name)
    g.columns.forEach((b, i) => {
      const sums = new Map<number, number>()
      for (const [p, size] of b?.[side] ?? []) {
        const at = Math.round(p! / g.step)
        sums.set(at, (sums.get(at) ?? 0) + size!)
      }
      for (const [at, size] of sums) {
        if (at < g.low || at > g.high) continue
        const k = ((g.high - at) * n + i) * 4
        image.data.set(colour as number[], k)
        image.data[k + 3] = 255 * Math.min(0.92, 0.08 + 0.84 * (Math.log1p(size) / scale) ** 3.4)
      }
    })
  }
  q.putImageData(image, 0, 0)
  c.imageSmoothingEnabled = false
  c.drawImage(small, left, top, right_ - left, low - top)
  // What the source says it missed: the book before it is carried through.
  c.fillStyle = css('loss')
  c.globalAlpha = 0.16
  for (const [a, b] of g.gaps) c.fillRect(X(a), top, Math.max(1, X(b) - X(a)), low - top)
  c.globalAlpha = 1
  for (const [side, name] of [
    ['bids', 'bid'],
    ['asks', 'ask'],
  ] as const) {
    c.strokeStyle = css(name)
    c.lineWidth = 1.6
    c.beginPath()
    let before: number | undefined
    g.columns.forEach((b, i) => {
      const best = b?.[side][0]?.[0]
      if (best === undefined) {
        before = undefined
        return
      }
      const x0 = left + (i / n) * (right_ - left)
      const y = Y(best)
      if (before === undefined) c.moveTo(x0, y)
      else c.lineTo(x0, y)
      c.lineTo(left + ((i + 1) / n) * (right_ - left), y)
      before = y
    })
    c.stroke()
  }
  c.font = '600 ' + letters
  for (const side of ['asks', 'bids'] as const) nameSide(c, side, g, { X, Y, u, top, low })
  c.font = letters
  c.fillStyle = css('muted')
  c.textAlign = 'right'
  for (const p of ticks) c.fillText(fixed(p, g.step < 0.01 ? 3 : 2), left - 6 * u, Y(p))
  c.textAlign = 'center'
  const span_ = g.by * n
  const every =
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600].find(
      (s) => (s / span_) * (right_ - left) >= 76 * u,
    ) ?? 86400
  for (let at = Math.ceil(g.from / every) * every; at < g.from + span_; at += every) {
    const px = X(at)
    if (px > left + 22 * u && px < right_ - 22 * u)
      c.fillText(iso(at).slice(11, 19), px, low + 12 * u)
  }
  const ink = css('ink')
  const surface = css('surface')
  for (const [p, , colour] of targets(x)) {
    c.setLineDash([4, 4])
    c.strokeStyle = css(colour)
    c.lineWidth = 1.2
    c.beginPath()
    c.moveTo(left, Y(p))
    c.lineTo(right_, Y(p))
    c.stroke()
    c.setLineDash([])
  }
  // Where own orders rested, and where they filled.
  c.font = '600 ' + letters
  for (const o of rested(t, x, rule)) {
    const from = Math.max(left, X(o.from))
    const to = Math.min(right_, X(o.to))
    if (to < from) continue
    c.strokeStyle = c.fillStyle = css('what')
    c.lineWidth = 2.4
    c.beginPath()
    c.moveTo(from, Y(o.price))
    c.lineTo(Math.max(to, from + 2), Y(o.price))
    c.stroke()
    for (const at of o.fills) {
      const px = X(at)
      if (px < left || px > right_) continue
      c.beginPath()
      c.arc(px, Y(o.price), 3.5, 0, 2 * Math.PI)
      c.fill()
    }
    if (to - from < c.measureText(o.name).width + 8) continue
    c.textAlign = 'left'
    c.fillText(o.name, from + 4, Y(o.price) + 9 * u)
  }
  const inAt = X(instant(t.entry_time))
  const outAt = X(instant(t.exit_time))
  // Where the order was sent, then where it arrived.
  const signals = legsOf(t)
    .map((l) => l.signal)
    .filter((s): s is string => Boolean(s))
    .map((s) => X(instant(s)))
  c.strokeStyle = ink
  c.lineWidth = 1
  c.setLineDash([2, 3])
  for (const px of signals) {
    c.beginPath()
    c.moveTo(px, top - 6 * u)
    c.lineTo(px, low)
    c.stroke()
  }
  c.setLineDash([])
  for (const px of [inAt, outAt]) {
    c.beginPath()
    c.moveTo(px, top - 6 * u)
    c.lineTo(px, low)
    c.stroke()
  }
  c.lineWidth = 3
  c.beginPath()
  c.moveTo(inAt, top - 6 * u)
  c.lineTo(outAt, top - 6 * u)
  c.stroke()
  c.font = '600 ' + letters
  const held = 'held ' + span(instant(t.exit_time) - instant(t.entry_time))
  const wide = c.measureText(held).width + 10
  const lead = inAt - left > 46 * u
  if (outAt - inAt > wide + 16) {
    c.fillStyle = surface
    c.fillRect((inAt + outAt - wide) / 2, top - 14 * u, wide, 14 * u)
    c.fillStyle = ink
    c.textAlign = 'center'
    c.fillText(held, (inAt + outAt) / 2, top - 7 * u)
  }
  c.fillStyle = ink
  c.textAlign = 'right'
  if (lead) c.fillText('bought', inAt - 5, top - 7 * u)
  c.textAlign = 'left'
  const sold = { settle: 'settled', merge: 'merged', buy: 'sold', sell: 'sold' }[
    legsOf(t).at(-1)?.action ?? 'sell'
  ]
  if (right_ - outAt > 42 * u) c.fillText(sold, outAt + 5, top - 7 * u)
  // Bars as long as the shares taken at each level.
  const taken = executions(t)
  const longest = Math.max(1, ...taken.flatMap((l) => l.levels.map((v) => v[1]!)))
  const thick = Math.max(3, Math.min(12, (low - top) / cells))
  const reach = Math.min(40, (right_ - left) * 0.08)
  for (const l of taken)
    for (const [p, size] of l.levels) {
      const long = Math.max(5, (size! / longest) * reach)
      c.fillStyle = ink
      c.strokeStyle = surface
      c.lineWidth = 1
      c.beginPath()
      c.rect(X(instant(l.time)), Y(p!) - thick / 2, long, thick)
      c.fill()
      c.stroke()
    }
  // The names of target and stop stand where no order was: while the trade was held,
  // before it, after it, or at the edge.
  c.font = '600 ' + letters
  for (const [p, name, colour] of targets(x)) {
    const wide = c.measureText(name).width + 8
    const free = (from: number, to: number) => (to - from >= wide ? to - wide : -1)
    const at =
      [
        free(inAt + reach + 4, outAt - 4),
        free(left, Math.min(inAt, ...signals) - 4),
        free(outAt + reach + 4, right_),
      ].find((v) => v >= 0) ?? right_ - wide
    c.globalAlpha = 0.86
    c.fillStyle = surface
    c.fillRect(at, Y(p) - 15 * u, wide, 13 * u)
    c.globalAlpha = 1
    c.fillStyle = css(colour)
    c.textAlign = 'left'
    c.fillText(name, at + 4, Y(p) - 8 * u)
  }
  if (column >= 0) {
    const x0 = left + (column / n) * (right_ - left)
    c.strokeStyle = css('focus')
    c.lineWidth = 1
    c.strokeRect(x0, top, Math.max(1.5, (right_ - left) / n), low - top)
  }
}

/** told says a column: time, best bid and ask. */
export function told(g: Grid, column: number): string {
  const b = g.columns[column]
  const at = g.from + column * g.by
  const missed = g.gaps.some(([from, to]) => from < at + g.by && to > at)
    ? '; in a gap that the source declares'
    : ''
  if (!b) return `${iso(at).slice(11, -1)}: no book${missed}`
  const side = (l: readonly number[] | undefined, name: string) =>
    l ? `${name} ${fixed(l[0]!, 3).replace(/0$/, '')} × ${shares(l[1]!)}` : `no ${name}`
  return `${fine(b.t, b.t.includes('.') ? 2 : 0)}: ${side(b.bids[0], 'bid')}, ${side(b.asks[0], 'ask')}${missed}`
}

/** cellWords says what stands at a price of a column: "12:31:15, 0.37: 120.00 shares asked". */
export function cellWords(g: Grid, [i, p]: [number, number]): string {
  const at = (side: readonly number[][] | undefined) =>
    (side ?? []).reduce((n, l) => (Math.round(l[0]! / g.step) === p ? n + l[1]! : n), 0)
  const b = g.columns[i]
  const [bid, ask] = [at(b?.bids), at(b?.asks)]
  const what = ask ? `${shares(ask)} shares asked` : bid ? `${shares(bid)} shares bid` : 'nothing'
  return `${iso(g.from + i * g.by).slice(11, 19)}, ${fixed(p * g.step, g.step < 0.01 ? 3 : 2)}: ${what}`
}
