// Two runs as pictures: the difference between them, and both curves on one scale.
import type { Comparison, Report } from './api'
import { letters, short, steps, useWidth, within } from './chart'
import { instant, minute, signed, usd } from './text'
import { thinned } from './equity'

/** Difference draws what B made more than A in a round, with its interval, beside zero. */
export function Difference({ paired }: { paired: Comparison['paired'] }) {
  const [box, width, u] = useWidth(400)
  const mean = paired.mean_difference
  if (mean === null) return null
  const i = paired.interval
  const ends = [0, mean, ...(i ?? [])]
  const room = (Math.max(...ends) - Math.min(...ends) || 1) * 0.12
  const low = Math.min(...ends) - room
  const high = Math.max(...ends) + room
  const x = (v: number) => 14 * u + ((v - low) / (high - low)) * (width - 28 * u)
  return (
    <div class="interval" ref={box}>
      <svg
        width={width}
        height={70 * u}
        viewBox={`0 0 ${width} ${70 * u}`}
        role="img"
        aria-label={
          `B − A: ${usd(mean)} a round` +
          (i ? `, 95% interval from ${usd(i[0])} to ${usd(i[1])}` : '')
        }
      >
        <line x1={10 * u} x2={width - 10 * u} y1={44 * u} y2={44 * u} class="grid" />
        {steps(low, high, Math.min(5, width / u / 70))
          .filter((v) => within(x(v), short(v), width, u) === x(v))
          .map((v) => (
            <text key={v} x={x(v)} y={60 * u} text-anchor="middle">
              {short(v)}
            </text>
          ))}
        <line x1={x(0)} x2={x(0)} y1={4 * u} y2={48 * u} class="zero" />
        {i && (
          <rect
            x={x(i[0]!)}
            width={Math.max(1, x(i[1]!) - x(i[0]!))}
            y={22 * u}
            height={10 * u}
            rx="2"
            class="ci"
          />
        )}
        <circle cx={x(mean)} cy={27 * u} r={6 * u} class="mean" />
        <text
          x={within(x(mean), signed(mean), width, u)}
          y={14 * u}
          text-anchor="middle"
          class="strong"
        >
          {signed(mean)}
        </text>
      </svg>
      <p class="key">
        <span>● B − A a round, USD</span>
        {i && <span>▬ 95% interval</span>}
        <span>A better left of zero, B right of it</span>
      </p>
    </div>
  )
}

const points = (r: Report): [number, number][] =>
  r.trades.map((t, i): [number, number] => [instant(t.exit_time), r.equity_curve[i]!])

/** Curves draws the equity of both over time: A dashed, B solid. */
export function Curves({ a, b }: { a: Report; b: Report }) {
  const [box, width, u] = useWidth(900)
  const both = [points(a), points(b)]
  const all = both.flat()
  if (all.length === 0) return <p class="q">Neither run traded.</p>
  const reduce = (f: (x: number, y: number) => number, k: 0 | 1, from: number) =>
    all.reduce((m, p) => f(m, p[k]), from)
  const begin = reduce(Math.min, 0, Infinity)
  const end = Math.max(reduce(Math.max, 0, -Infinity), begin + 1)
  const lowest = reduce(Math.min, 1, 0)
  const highest = reduce(Math.max, 1, 0)
  const ticks = steps(lowest, highest, 5)
  const left = Math.max(...ticks.map((v) => letters(short(v), u))) + 14 * u
  const right = 26 * u
  const x = (t: number) => left + ((t - begin) / (end - begin)) * (width - left - right)
  const y = (v: number) => (170 - ((v - lowest) / (highest - lowest || 1)) * 156) * u
  const path = (list: [number, number][]) => {
    const kept = thinned(list.map((p) => p[1])).map((i) => list[i]!)
    let out = `M${x(begin).toFixed(1)},${y(0).toFixed(1)}`
    for (const [t, v] of kept) out += `H${x(t).toFixed(1)}V${y(v).toFixed(1)}`
    return out + `H${x(end).toFixed(1)}`
  }
  const last = both.map((l) => l.at(-1)?.[1] ?? 0)
  const apart = Math.abs(y(last[0]!) - y(last[1]!)) > 12 * u ? 0 : last[0]! >= last[1]! ? 7 : -7
  return (
    <div ref={box} class="equity curves">
      <svg
        width={width}
        height={196 * u}
        viewBox={`0 0 ${width} ${196 * u}`}
        role="img"
        aria-label={`Equity of A, ending at ${usd(last[0])}, and of B, ending at ${usd(last[1])}.`}
      >
        {ticks.map((v) => (
          <g key={v}>
            <line
              x1={left}
              x2={width - right}
              y1={y(v)}
              y2={y(v)}
              class={v === 0 ? 'zero' : 'grid'}
            />
            <text x={left - 6 * u} y={y(v) + 4 * u} text-anchor="end">
              {v === 0 ? '0' : short(v)}
            </text>
          </g>
        ))}
        {(width / u > 420 ? [0, 0.5, 1] : width / u > 260 ? [0, 1] : [0]).map((f) => (
          <text
            key={f}
            x={x(begin + f * (end - begin))}
            y={190 * u}
            text-anchor={f === 0 ? 'start' : f === 1 ? 'end' : 'middle'}
          >
            {minute((begin + f * (end - begin)) * 1000)}
          </text>
        ))}
        {both.map(
          (l, k) => l.length > 0 && <path key={k} d={path(l)} class={k ? 'line b' : 'line a'} />,
        )}
        {both.map((l, k) => (
          <text
            key={k}
            x={width - right + 8 * u}
            y={y(last[k]!) + 4 * u + (k ? apart : -apart) * u}
            class="strong"
          >
            {l.length ? 'AB'[k] : ''}
          </text>
        ))}
      </svg>
      <p class="key">
        <span>┅ A</span>
        <span>━ B</span>
      </p>
    </div>
  )
}
