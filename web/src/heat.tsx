// The heat map of a book, to be read column by column.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { json, Refused, type Book, type Explanation, type Gaps, type Trade } from './api'
import {
  cellWords,
  frame,
  gridOf,
  iso,
  legsOf,
  marginsOf,
  MOST,
  paint,
  RESOLUTIONS,
  told,
  type Grid,
} from './book'
import { onScheme } from './chart'
import type { Rule } from './rules'
import { reading } from './strategy'
import { exitWords, fine, fixed, instant, price, shares } from './text'

const after = (signal: string, time: string) =>
  `+${Math.round((instant(time) - instant(signal)) * 1000)} ms`

/** The four instants of a trade: signal, arrival, the end's signal, the end. */
function instants(t: Trade, x: Explanation | undefined): [string, string][] {
  const legs = legsOf(t)
  const buys = legs.filter((l) => l.action === 'buy')
  const buy = buys[0]
  const merges = legs.filter((l) => l.action === 'merge')
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
    `${shares(t.shares)} at ${price(t.entry_price)}` +
      (buys.length > 1 ? ` in ${buys.length} fills` : '') +
      (t.opposite
        ? `, ${shares(t.opposite.shares)} of the other token at ${price(t.opposite.avg_price)}`
        : '') +
      (buy
        ? `, fee ${fixed(
            buys.reduce((n, l) => n + l.fee, 0),
            2,
          )}`
        : ''),
  ])
  if (merges.length)
    out.push([
      `${fine(merges.at(-1)!.time, 3)} merged`,
      `${shares(merges.reduce((n, l) => n + l.levels[0]![1]!, 0))} pairs for $1 each`,
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
  else if (!sells.length && !merges.length)
    out.push([`${fine(t.exit_time, 3)} ${exitWords(t.exit_reason)}`, `at ${price(t.exit_price)}`])
  return out
}

/** Steps of the heat map that keys take: set by the map on show. */
export const keys: {
  step?: (by: number) => void
  to?: (end: 'entry' | 'exit') => void
  coarser?: (by: number) => void
  price?: (by: number) => void
} = {}

interface Loaded {
  books: Book[]
  missed: Gaps['data']
  frame: ReturnType<typeof frame>
}

/** Crosshair lies over the cell of a picture, and tells its price, shares and time. */
function Crosshair({
  canvas,
  g,
  cell: [i, p],
}: {
  canvas: HTMLCanvasElement
  g: Grid
  cell: [number, number]
}) {
  const { left, right, top, bottom } = marginsOf(canvas)
  const w = (canvas.clientWidth - left - right) / g.columns.length
  const h = (canvas.clientHeight - top - bottom) / (g.high - g.low + 1)
  const x = left + (i + 0.5) * w
  const y = top + (g.high - p + 0.5) * h
  const far = x > canvas.clientWidth / 2
  return (
    <div class="cross" aria-hidden="true">
      <i style={{ left: x + 'px', top: top + 'px', bottom: bottom + 'px' }} />
      <i style={{ top: y + 'px', left: left + 'px', right: right + 'px' }} />
      <span
        class="num"
        style={{
          top: Math.max(2, y - 26) + 'px',
          ...(far ? { right: canvas.clientWidth - x + 8 + 'px' } : { left: x + 8 + 'px' }),
        }}
      >
        {cellWords(g, [i, p])}
      </span>
    </div>
  )
}

export function Heat({
  t,
  x,
  rule,
  books,
  gaps,
}: {
  t: Trade
  x: Explanation | undefined
  rule: Rule // by which what rests fills
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
  const g = loaded && gridOf(t, x, rule, loaded.books, loaded.missed, loaded.frame)
  const n = g?.columns.length ?? 0
  const columnOf = (at: number) =>
    Math.max(0, Math.min(n - 1, Math.floor((at - (g?.from ?? 0)) / (g?.by ?? 1))))
  const again = useRef<(() => void) | undefined>(undefined)
  useEffect(() => {
    if (!g || !canvas.current) return
    const el = canvas.current
    const draw = (again.current = () => paint(el, t, x, rule, g, column))
    draw()
    el.dataset.drawn = `${t.market_slug} ${loaded!.frame.name}`
    const off = onScheme(draw)
    const sizes = new ResizeObserver(draw)
    sizes.observe(el)
    return () => {
      off()
      sizes.disconnect()
    }
  }, [loaded, x, rule, column])
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
  const [over, hover] = useState<[number, number]>() // column and price of the crosshair, in steps
  const cells = g ? g.high - g.low + 1 : 0
  /** at is the cell under a pointer. */
  const at = (
    e: PointerEvent & { currentTarget: HTMLCanvasElement },
  ): [number, number] | undefined => {
    const box = e.currentTarget.getBoundingClientRect()
    const { left, right, top, bottom } = marginsOf(e.currentTarget)
    const i = Math.floor(((e.clientX - box.left - left) / (box.width - left - right)) * n)
    const k = Math.floor(((e.clientY - box.top - top) / (box.height - top - bottom)) * cells)
    return g && i >= 0 && i < n && k >= 0 && k < cells ? [i, g.high - k] : undefined
  }
  keys.price = (by) => {
    if (!g || column < 0) return to('entry')
    const best = g.columns[column]?.bids[0]?.[0] ?? g.low * g.step
    const from = over?.[0] === column ? over[1] : Math.round(best / g.step) - by
    hover([column, Math.max(g.low, Math.min(g.high, from + by))])
  }
  useLayoutEffect(
    () => hover((was) => (was && column >= 0 ? [column, was[1]] : undefined)),
    [column],
  )
  return (
    <div>
      <div class="cv">
        <canvas
          ref={canvas}
          role="img"
          onPointerDown={(e) => {
            const cell = at(e)
            if (cell) step(cell[0])
          }}
          onPointerMove={(e) => e.pointerType === 'mouse' && hover(at(e))}
          onPointerLeave={() => hover(undefined)}
          aria-label={`Order book of ${t.token_label} around the trade: bids and asks by price and time, entry at ${fine(t.entry_time, 1)} at ${price(t.entry_price)}, exit at ${fine(t.exit_time, 1)} at ${price(t.exit_price)}.`}
        />
        {g && over && <Crosshair canvas={canvas.current!} g={g} cell={over} />}
        {failed && <p class="over">{failed}</p>}
      </div>
      <p class="key">
        <span>
          <i class="sw-b" />
          bids
        </span>
        <span>
          <i class="sw-a" />
          asks: USD a share upwards, darker with more shares (log)
        </span>
        {x?.resting && (
          <span>
            <i class="sw-o" />
            own orders that rested
          </span>
        )}
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
          <kbd>←</kbd> <kbd>→</kbd> column <kbd>↑</kbd> <kbd>↓</kbd> price <kbd>J</kbd> <kbd>K</kbd>{' '}
          trade
        </span>
      </p>
      <p class="told num" role="status">
        {g && column >= 0 ? told(g, column) : ''}
        {g && column >= 0 && over?.[0] === column && '; ' + cellWords(g, over)}
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
