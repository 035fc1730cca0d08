// One market over its round.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { call, Refused, type Book, type Gaps, type Market } from './api'
import { steps, useWidth } from './chart'
import { useKeydown } from './keyboard'
import { Problem } from './problem'
import { clock, counted, dollars, fine, fixed, sentence, shares } from './text'

const RESOLUTIONS: [string, number][] = [
  ['250ms', 0.25],
  ['1s', 1],
  ['5s', 5],
  ['15s', 15],
  ['30s', 30],
  ['1m', 60],
  ['5m', 300],
  ['10m', 600],
  ['15m', 900],
  ['1h', 3600],
  ['6h', 21600],
  ['1d', 86400],
]

interface Point {
  t: string
  liquidity: number
  spread?: number
  volume: number
}

interface Round {
  market: Market
  by: number
  name: string
  from: number
  n: number
  books: (Book | undefined)[]
  metrics: (Point | undefined)[]
  prices: (number | undefined)[]
  gaps: [number, number][]
}

async function loadRound(id: string, stop: AbortSignal): Promise<Round> {
  const market = await call<Market>('/markets/' + encodeURIComponent(id), { signal: stop })
  const ends = market.end_date ?? market.closed_at ?? market.updated_at ?? new Date().toISOString()
  const to0 = Date.parse(ends) / 1000
  const from0 = market.start_date ? Date.parse(market.start_date) / 1000 : to0 - 3600
  const [name, by] =
    RESOLUTIONS.find(([, r]) => Math.ceil(to0 / r) - Math.floor(from0 / r) <= 200) ??
    RESOLUTIONS.at(-1)!
  const from = Math.floor(from0 / by) * by
  const n = Math.min(200, Math.ceil((to0 - from) / by))
  const q = `?start_ts=${from}&end_ts=${from + n * by}&resolution=${name}&limit=200`
  const token = '/tokens/' + encodeURIComponent(market.tokens[0]!.id)
  const [books, prices, metrics, missed] = await Promise.all([
    call<{ data: Book[] }>(token + '/books' + q, { signal: stop }),
    call<{ data: { t: string; p: number }[] }>(token + '/prices' + q, { signal: stop }),
    call<{ data: Point[] }>(`/markets/${encodeURIComponent(market.id)}/metrics${q}`, {
      signal: stop,
    }),
    call<Gaps>(`/markets/${encodeURIComponent(market.id)}/gaps`, { signal: stop }),
  ])
  const place = <T extends { t: string }, V>(list: T[], f: (x: T) => V) => {
    const out = new Array<V | undefined>(n).fill(undefined)
    for (const x of list) out[Math.round((Date.parse(x.t) / 1000 - from) / by)] = f(x)
    return out
  }
  const at = (t: string) => Math.max(0, Math.min(n, (Date.parse(t) / 1000 - from) / by))
  const gaps = missed.data
    .filter((g) => g.token_id === market.tokens[0]!.id)
    .map((g): [number, number] => [at(g.from), at(g.to)])
    .filter(([a, b]) => a < b)
  return {
    market,
    by,
    name,
    from,
    n,
    gaps,
    books: place(books.data, (b) => b),
    prices: place(prices.data, (p) => p.p),
    metrics: place(metrics.data, (m) => m),
  }
}

function Panel({
  r,
  label,
  values,
  bands,
  low,
  high,
  height: high_,
  tick,
  value,
  at,
  point,
}: {
  r: Round
  label: string
  values: (number | undefined)[]
  bands?: [number, number][]
  low: number
  high: number
  height: number
  tick: (v: number) => string
  value: (v: number) => string
  at: number
  point: (i: number) => void
}) {
  const [box, width, u] = useWidth(700)
  const left = 52 * u
  const height = high_ * u
  const x = (i: number) => left + (i / r.n) * (width - left - 8)
  const y = (v: number) => height - 20 * u - ((v - low) / (high - low || 1)) * (height - 30 * u)
  // A line is drawn through the buckets that are known; holes stay holes.
  const lines: string[] = []
  let open: string[] = []
  values.forEach((v, i) => {
    if (v === undefined) {
      if (open.length) lines.push(open.join(' '))
      open = []
    } else
      open.push(`${x(i).toFixed(1)},${y(v).toFixed(1)} ${x(i + 1).toFixed(1)},${y(v).toFixed(1)}`)
  })
  if (open.length) lines.push(open.join(' '))
  const time = (i: number) =>
    new Date((r.from + i * r.by) * 1000).toISOString().slice(11, r.by < 60 ? 19 : 16)
  return (
    <div ref={box} class="panel">
      <h2>
        {label}
        <small class="push num">
          {at >= 0 && values[at] !== undefined ? value(values[at]) : ''}
        </small>
      </h2>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label + ' over the round'}
        onPointerMove={(e) => {
          const i = Math.floor(
            ((e.clientX - e.currentTarget.getBoundingClientRect().left - left) /
              (width - left - 8)) *
              r.n,
          )
          if (i >= 0 && i < r.n) point(i)
        }}
      >
        {r.gaps.map(([a, b]) => (
          <rect
            key={a}
            x={x(a)}
            width={Math.max(1, x(b) - x(a))}
            y="4"
            height={height - 24 * u}
            class="gap"
          />
        ))}
        {bands?.map(([a, b]) => (
          <rect key={a} x={x(a)} width={x(b) - x(a)} y="4" height={height - 24 * u} class="hole" />
        ))}
        {steps(low, high, 3).map((v) => (
          <g key={v}>
            <line x1={left} x2={width - 8} y1={y(v)} y2={y(v)} class="grid" />
            <text x={left - 6 * u} y={y(v) + 4 * u} text-anchor="end">
              {tick(v)}
            </text>
          </g>
        ))}
        {lines.map((p, i) => (
          <polyline key={i} points={p} class="line" />
        ))}
        {[0, 0.25, 0.5, 0.75, 1]
          .filter((f) => width / u > 320 || f % 1 === 0)
          .map((f) => (
            <text
              key={f}
              x={x(f * r.n)}
              y={height - 4 * u}
              text-anchor={f === 1 ? 'end' : f === 0 ? 'start' : 'middle'}
            >
              {time(f * r.n)}
            </text>
          ))}
        {at >= 0 && (
          <line x1={x(at + 0.5)} x2={x(at + 0.5)} y1="4" y2={height - 20 * u} class="cursor" />
        )}
      </svg>
    </div>
  )
}

/** middle is a time at which there is a book, as near as can be to the middle of the round. */
export function middle(books: readonly unknown[]): number {
  const half = books.length / 2
  let best = -1
  books.forEach((b, i) => {
    if (b && (best < 0 || Math.abs(i - half) < Math.abs(best - half))) best = i
  })
  return best < 0 ? Math.floor(half) : best
}

export function OneMarket({ id, from }: { id: string; from: URLSearchParams }) {
  const [r, put] = useState<Round>()
  const [problem, fail] = useState<Refused>()
  const [at, point] = useState(-1)
  useLayoutEffect(() => {
    const stop = new AbortController()
    put(undefined)
    fail(undefined)
    loadRound(id, stop.signal)
      .then((got) => {
        if (!stop.signal.aborted) {
          put(got)
          point(Math.max(0, middle(got.books)))
        }
      })
      .catch((err: unknown) => !stop.signal.aborted && err instanceof Refused && fail(err))
    return () => stop.abort()
  }, [id])
  useEffect(() => {
    document.title = (r ? r.market.question + ' · ' : '') + 'Ladderback'
  }, [r])
  useKeydown((e) => {
    if (
      !r ||
      (e.target as HTMLElement).matches('input, textarea, select') ||
      e.ctrlKey ||
      e.metaKey ||
      e.altKey
    )
      return
    const by = e.shiftKey ? 10 : 1
    if (e.key === 'ArrowLeft') point((i) => Math.max(0, i - by))
    else if (e.key === 'ArrowRight') point((i) => Math.min(r.n - 1, i + by))
    else return
    e.preventDefault()
  })
  if (problem)
    return (
      <main id="result" class="page">
        <Problem problem={problem} until={0} />
        <p>
          <a href="/markets">All markets</a>
        </p>
      </main>
    )
  if (!r) return <main id="result" class="page" aria-busy="true" />
  const m = r.market
  const of = /^(\w+)-updown-(\w+)-\d+$/.exec(m.slug)
  const b = r.books[at]
  const spread = r.metrics.map((x) => x?.spread)
  const liquidity = r.metrics.map((x) => x?.liquidity)
  const top = (v: (number | undefined)[], least: number) =>
    Math.max(least, ...v.filter((x): x is number => x !== undefined))
  const holes: [number, number][] = []
  r.books.forEach((x, i) => {
    if (x) return
    const last = holes.at(-1)
    if (last && last[1] === i) last[1] = i + 1
    else holes.push([i, i + 1])
  })
  const ladder = b
    ? [
        ...b.asks
          .slice(0, 8)
          .reverse()
          .map((l) => ['ask', l] as const),
        ...b.bids.slice(0, 8).map((l) => ['bid', l] as const),
      ]
    : []
  const most = Math.max(1, ...ladder.map(([, l]) => l[1]!))
  return (
    <main id="result" class="page" tabIndex={-1}>
      <p class="meta">
        <span>{m.slug}</span>
        <span>
          {clock(r.from * 1000)} to {clock((r.from + r.n * r.by) * 1000)} UTC
        </span>
      </p>
      <h1>{m.question}</h1>
      <p class="meta">
        {from.get('run') && (
          <a href={`/runs/${from.get('run')}#trade=${from.get('trade') ?? 1}`}>
            Back to trade {from.get('trade') ?? 1} of the run
          </a>
        )}
        {of && (
          <a href={`/runs?coin=${of[1]!.toUpperCase()}&market_type=${of[2]}`}>
            Runs over rounds like this one
          </a>
        )}
      </p>
      <p class="lead">
        {m.winning_token_label ? (
          <>
            Winner: <b>{m.winning_token_label}</b>
          </>
        ) : (
          `${sentence(m.status)}; no official winner. A run with inferred winners may use what whoever recorded it believes.`
        )}
      </p>
      <section class="two">
        <div>
          <Panel
            r={r}
            label={`Price of ${m.tokens[0]!.label}`}
            values={r.prices}
            bands={holes}
            low={0}
            high={1}
            height={200}
            tick={(v) => fixed(v, 2)}
            value={(v) => fixed(v, 4)}
            at={at}
            point={point}
          />
          <Panel
            r={r}
            label="Spread, USD"
            values={spread}
            bands={holes}
            low={0}
            high={top(spread, 0.02)}
            height={110}
            tick={(v) => fixed(v, 2)}
            value={(v) => fixed(v, 4)}
            at={at}
            point={point}
          />
          <Panel
            r={r}
            label="Liquidity, USD"
            values={liquidity}
            bands={holes}
            low={0}
            high={top(liquidity, 1)}
            height={110}
            tick={(v) => (v >= 1000 ? fixed(v / 1000, 0) + 'k' : fixed(v, 0))}
            value={dollars}
            at={at}
            point={point}
          />
          <p class="q small">
            {r.name} a point, ← → step. Grey: nothing was known yet, or no more.
            {r.gaps.length > 0 &&
              ` Red: ${counted(r.gaps.length, 'gap')} that the source declares; what was known before is carried through.`}
          </p>
        </div>
        <div class="walk">
          <h2>Book of {m.tokens[0]!.label}</h2>
          <p class="num" role="status">
            {b ? `${fine(b.t, b.t.includes('.') ? 2 : 0)} UTC` : 'no book at this time'}
            {r.metrics[at] ? `, liquidity ${dollars(r.metrics[at]!.liquidity)}` : ''}
          </p>
          <table>
            <thead>
              <tr>
                <th>side</th>
                <th class="n">price</th>
                <th class="n">shares</th>
                <th>
                  <span class="sr">size</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {ladder.map(([side, l], i) => (
                <tr key={i} class={side === 'ask' ? 'buy' : 'sell'}>
                  <td class="q">{side}</td>
                  <td class="n">{fixed(l[0]!, 3)}</td>
                  <td class="n">{shares(l[1]!)}</td>
                  <td class="wb">
                    <i class="full" style={{ width: `${(l[1]! / most) * 100}%` }} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </main>
  )
}
