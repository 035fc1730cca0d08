// One trade down to the book that it met.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { json, Refused, type Book, type Explanation, type From, type Gaps, type Trade } from './api'
import { css, onScheme, scaleOf, steps } from './charts'
import { reading } from './strategy'
import { prose } from './prose'
import {
  exitWords,
  fine,
  fixed,
  instant,
  minute,
  price,
  roundStart,
  shares,
  span,
  usd,
} from './text'

const RESOLUTIONS: [string, number][] = [
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
const MOST = 200 // buckets of one request
const AROUND = 10 // seconds before the signal, and after the exit

type Leg = NonNullable<Trade['legs']>[number]

/** sides of a trade: when it was decided, when it reached the book, and what it took. */
function legsOf(t: Trade): Leg[] {
  return t.legs ?? []
}

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

const iso = (s: number) => new Date(Math.round(s * 1000)).toISOString().replace('.000Z', 'Z')

interface Grid {
  by: number
  from: number
  columns: (Book | undefined)[]
  step: number // of price, in USD
  low: number // lowest and highest cell, in steps
  high: number
  gaps: [number, number][] // that the source declares, in seconds
}

function gridOf(
  t: Trade,
  x: Explanation | undefined,
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
  for (const l of legsOf(t)) if (l.action !== 'settle') for (const [p] of l.levels) shown.push(p!)
  for (const p of targets(x)) shown.push(p[0])
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

/** marginsOf are those of the picture, in pixels; they grow with its text. */
function marginsOf(el: Element): {
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

function paint(
  canvas: HTMLCanvasElement,
  t: Trade,
  x: Explanation | undefined,
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
  const sold = legsOf(t).at(-1)?.action === 'settle' ? 'settled' : 'sold'
  if (right_ - outAt > 42 * u) c.fillText(sold, outAt + 5, top - 7 * u)
  // Bars as long as the shares taken at each level.
  const taken = legsOf(t).filter((l) => l.action !== 'settle')
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
function told(g: Grid, column: number): string {
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

function Ladder({ order, title }: { order: Explanation['orders'][number]; title: string }) {
  const most = Math.max(1, ...order.levels.map((l) => l.shown ?? l.taken))
  return (
    <>
      <h3>{title}</h3>
      <p>
        {order.as_of
          ? `as of ${fine(order.as_of)}, ${age(order.as_of, order.arrival)} old`
          : 'as of no book'}
        {order.cap != null ? `; cap ${fixed(order.cap, 2)}` : ''}
      </p>
      <table class={order.action === 'buy' ? 'buy' : 'sell'}>
        <thead>
          <tr>
            <th class="n">price</th>
            <th class="n">shown</th>
            <th class="n">taken</th>
            <th>
              <span class="sr">size</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {order.levels.map((l, i) => (
            <tr key={i} class={l.taken > 0 ? 'tk' : ''}>
              <td class="n">{fixed(l.price, 3).replace(/0$/, '')}</td>
              <td class="n q">{l.shown === null ? '–' : shares(l.shown)}</td>
              <td class="n">{l.taken > 0 ? shares(l.taken) : ''}</td>
              <td class="wb">
                <i style={{ width: `${((l.shown ?? 0) / most) * 100}%` }} />
                <b style={{ width: `${(l.taken / most) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {order.refused && <p class="loss">{order.refused}</p>}
    </>
  )
}

function age(asOf: string, at: string): string {
  const ms = (instant(at) - instant(asOf)) * 1000
  return ms < 10
    ? fixed(ms, 1) + ' ms'
    : ms < 1000
      ? fixed(ms, 0) + ' ms'
      : fixed(ms / 1000, 1) + ' s'
}

const after = (signal: string, time: string) =>
  `+${Math.round((instant(time) - instant(signal)) * 1000)} ms`

/** The four instants of a trade: signal, arrival, the end's signal, the end. */
function instants(t: Trade, x: Explanation | undefined): [string, string][] {
  const legs = legsOf(t)
  const buy = legs.find((l) => l.action === 'buy')
  const sells = legs.filter((l) => l.action === 'sell')
  const settle = legs.find((l) => l.action === 'settle')
  const out: [string, string][] = []
  const read = (x?.conditions ?? [])
    .filter((c) => !c.condition.type.startsWith('time'))
    .map((c) => {
      const was = x!.before?.conditions.find(
        (b) => JSON.stringify(b.condition) === JSON.stringify(c.condition),
      )?.value
      const now = c.value === null ? 'unknown' : fixed(c.value, 3)
      return `${reading(c.condition)} ${was != null ? fixed(was, 3) + ' → ' : ''}${now}`
    })
  if (buy?.signal)
    out.push([`${fine(buy.signal, 3)} signal`, x ? read.join(', ') || 'at the start' : ''])
  out.push([
    buy?.signal ? `${after(buy.signal, buy.time)}, bought` : `${fine(t.entry_time, 3)} bought`,
    `${shares(t.shares)} at ${price(t.entry_price)}${buy ? `, fee ${fixed(buy.fee, 2)}` : ''}`,
  ])
  const first = sells.find((l) => l.signal)
  const judged = x?.judged.at(-1)
  if (first?.signal)
    out.push([
      `${fine(first.signal, 3)} ${exitWords(t.exit_reason)}`,
      judged?.trigger ? `executable bid ${price(judged.executable_bid)}` : '',
    ])
  if (sells.length) {
    const sold = sells.reduce((n, l) => n + l.levels.reduce((m, v) => m + v[1]!, 0), 0)
    const got = sells.reduce((n, l) => n + l.levels.reduce((m, v) => m + v[0]! * v[1]!, 0), 0)
    const last = sells.at(-1)!
    out.push([
      first?.signal ? `${after(first.signal, last.time)}, sold` : `${fine(last.time, 3)} sold`,
      `${shares(sold)} at ${price(sold ? got / sold : 0)}, fee ${fixed(
        sells.reduce((n, l) => n + l.fee, 0),
        2,
      )}`,
    ])
  }
  if (settle)
    out.push([
      `${fine(settle.time, 3)} settled`,
      `${shares(settle.levels.reduce((m, v) => m + v[1]!, 0))} at ${fixed(settle.levels[0]?.[0] ?? 0, 2)} a share`,
    ])
  else if (!sells.length)
    out.push([`${fine(t.exit_time, 3)} ${exitWords(t.exit_reason)}`, `at ${price(t.exit_price)}`])
  return out
}

/** Steps of the heat map that keys take: set by the map on show. */
export const keys: {
  step?: (by: number) => void
  to?: (end: 'entry' | 'exit') => void
  coarser?: (by: number) => void
} = {}

interface Loaded {
  books: Book[]
  missed: Gaps['data']
  frame: ReturnType<typeof frame>
}

function Heat({
  t,
  x,
  books,
  gaps,
}: {
  t: Trade
  x: Explanation | undefined
  books: string
  gaps: string | undefined
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [loaded, put] = useState<Loaded>()
  const [failed, fail] = useState('')
  const [coarser, rough] = useState(0)
  const [column, step] = useState(-1)
  const centre = useRef<number | undefined>(undefined)
  const wish = useRef<'entry' | 'exit' | undefined>(undefined) // where a key led to before the book was there
  useLayoutEffect(() => {
    const stop = new AbortController()
    const f = frame(t, coarser, centre.current)
    fail('')
    const window_ = `start_ts=${iso(f.from)}&end_ts=${iso(f.to)}&resolution=${f.name}&limit=${MOST}`
    const missed = gaps
      ? json<Gaps>(gaps, { signal: stop.signal }).then(
          (a) => a.data,
          () => [],
        )
      : []
    Promise.all([json<{ data: Book[] }>(`${books}?${window_}`, { signal: stop.signal }), missed])
      .then(([a, m]) => {
        if (!stop.signal.aborted) put({ books: a.data, missed: m, frame: f })
      })
      .catch((err: unknown) => {
        if (!stop.signal.aborted && err instanceof Refused) fail(err.message)
      })
    return () => stop.abort()
  }, [t, coarser])
  const g = loaded && gridOf(t, x, loaded.books, loaded.missed, loaded.frame)
  const n = g?.columns.length ?? 0
  const columnOf = (at: number) =>
    Math.max(0, Math.min(n - 1, Math.floor((at - (g?.from ?? 0)) / (g?.by ?? 1))))
  const again = useRef<(() => void) | undefined>(undefined)
  useEffect(() => {
    if (!g || !canvas.current) return
    const el = canvas.current
    const draw = (again.current = () => paint(el, t, x, g, column))
    draw()
    el.dataset.drawn = `${t.market_slug} ${loaded!.frame.name}`
    const off = onScheme(draw)
    const sizes = new ResizeObserver(draw)
    sizes.observe(el)
    return () => {
      off()
      sizes.disconnect()
    }
  }, [loaded, x, column])
  useEffect(() => {
    void document.fonts?.ready.then(() => canvas.current && again.current?.())
  }, [])
  const to = (end: 'entry' | 'exit') => {
    if (n > 0) step(columnOf(instant(end === 'entry' ? t.entry_time : t.exit_time)))
    else wish.current = end
  }
  useLayoutEffect(() => {
    if (!loaded || !wish.current) return
    to(wish.current)
    wish.current = undefined
  }, [loaded])
  keys.to = to
  keys.step = (by) =>
    n === 0 || column < 0 ? to('entry') : step(Math.max(0, Math.min(n - 1, column + by)))
  keys.coarser = (by) => {
    centre.current = g && column >= 0 ? g.from + column * g.by : undefined
    const here = frame(t, coarser).index
    if (here + by < 0 || here + by >= RESOLUTIONS.length) return
    step(-1)
    rough(coarser + by)
  }
  const pick = (e: PointerEvent & { currentTarget: HTMLCanvasElement }) => {
    const box = e.currentTarget.getBoundingClientRect()
    const { left, right } = marginsOf(e.currentTarget)
    const i = Math.floor(((e.clientX - box.left - left) / (box.width - left - right)) * n)
    if (i >= 0 && i < n) step(i)
  }
  return (
    <div>
      <div class="cv">
        <canvas
          ref={canvas}
          role="img"
          onPointerDown={pick}
          aria-label={`Order book of ${t.token_label} around the trade: bids and asks by price and time, entry at ${fine(t.entry_time, 1)} at ${price(t.entry_price)}, exit at ${fine(t.exit_time, 1)} at ${price(t.exit_price)}.`}
        />
        {failed && <p class="over">{failed}</p>}
      </div>
      <p class="key">
        <span>
          <i class="sw-b" />
          bids
        </span>
        <span>
          <i class="sw-a" />
          asks, shares at the price (log)
        </span>
        {g && g.gaps.length > 0 && (
          <span>
            <i class="sw-g" />
            gap that the source declares
          </span>
        )}
        <span class="pn">
          {loaded?.frame.name ?? ''} a column
          <button
            aria-label="Finer columns"
            disabled={loaded?.frame.index === 0}
            onClick={() => keys.coarser?.(-1)}
          >
            +
          </button>
          <button aria-label="Coarser columns" onClick={() => keys.coarser?.(1)}>
            −
          </button>
        </span>
        <span class="push wide">
          <kbd>←</kbd> <kbd>→</kbd> column <kbd>J</kbd> <kbd>K</kbd> trade
        </span>
      </p>
      <p class="told num" role="status">
        {g && column >= 0 ? told(g, column) : ''}
      </p>
      <ol class="steps num">
        {instants(t, x).map(([head, text], i) => (
          <li key={i}>
            <b>{head}</b>
            <span class="q">{text}</span>
          </li>
        ))}
      </ol>
      {g && (
        <details class="astable">
          <summary>The book as a table</summary>
          <div class="scroll low" tabIndex={0} role="region" aria-label="Order book">
            <table>
              <thead>
                <tr>
                  <th>time, UTC</th>
                  <th class="n">bid</th>
                  <th class="n">shares</th>
                  <th class="n">ask</th>
                  <th class="n">shares</th>
                </tr>
              </thead>
              <tbody>
                {g.columns.map(
                  (b, i) =>
                    b && (
                      <tr key={i}>
                        <td>{fine(b.t, b.t.includes('.') ? 2 : 0)}</td>
                        <td class="n">{b.bids[0] ? fixed(b.bids[0][0]!, 3) : '–'}</td>
                        <td class="n">{b.bids[0] ? shares(b.bids[0][1]!) : ''}</td>
                        <td class="n">{b.asks[0] ? fixed(b.asks[0][0]!, 3) : '–'}</td>
                        <td class="n">{b.asks[0] ? shares(b.asks[0][1]!) : ''}</td>
                      </tr>
                    ),
                )}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </div>
  )
}

/** OneTrade shows a trade down to the book that it met. */
export function OneTrade({
  from,
  trades,
  n,
  choose,
}: {
  from: From
  trades: readonly Trade[]
  n: number
  choose: (n: number) => void
}) {
  const t = trades[n - 1]
  const [x, put] = useState<{ of: string; x: Explanation }>()
  const [failed, fail] = useState('')
  const of = from.name + '/' + n
  useLayoutEffect(() => {
    if (!t) return
    const stop = new AbortController()
    fail('')
    json<Explanation>(from.trade(n), { signal: stop.signal })
      .then((answer) => put({ of, x: answer }))
      .catch((err: unknown) => {
        if (!stop.signal.aborted && err instanceof Refused) fail(err.message)
      })
    return () => stop.abort()
  }, [of])
  if (!t) return null
  const mine = x?.of === of ? x.x : undefined
  return (
    <section id="trade" aria-label="Trade">
      <h2 class="num">
        Trade {n} of {trades.length}{' '}
        <small>
          {t.token_label}, round of {minute(roundStart(t.market_slug, t.entry_time))} UTC,{' '}
          {exitWords(t.exit_reason)}
        </small>
        <span class={'push ' + (t.pnl < 0 ? 'loss' : 'gain')}>{usd(t.pnl)}</span>
        <span class="pn">
          <button aria-label="Trade before" disabled={n === 1} onClick={() => choose(n - 1)}>
            ‹
          </button>
          <button
            aria-label="Next trade"
            disabled={n === trades.length}
            onClick={() => choose(n + 1)}
          >
            ›
          </button>
        </span>
      </h2>
      <div class="heat">
        <Heat
          key={of}
          t={t}
          x={mine}
          books={from.books(n, t.token_id)}
          gaps={from.gaps?.(t.market_id)}
        />
        <div class="walk">
          {mine?.orders.map((o, i) => (
            <Ladder
              key={i}
              order={o}
              title={
                o.action === 'buy'
                  ? 'The asks it met'
                  : o.retry
                    ? 'The bids it met again'
                    : 'The bids it sold into'
              }
            />
          ))}
          {mine?.settlement && (
            <>
              <h3>Settlement</h3>
              <p>
                {shares(mine.settlement.shares)} shares at {fixed(mine.settlement.payout, 2)} at{' '}
                {fine(mine.settlement.time, 0)}: {prose(usd(mine.settlement.proceeds))}
              </p>
            </>
          )}
          {failed && <p class="loss">{failed}</p>}
        </div>
      </div>
    </section>
  )
}
