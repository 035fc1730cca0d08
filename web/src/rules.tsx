// Orders that rest: what the three rules give, side by side, and their equity over time.
import type { Report } from './api'
import { letters, short, steps, useWidth } from './chart'
import { thinned } from './equity'
import { count, instant, minute, rate, usd } from './text'

export const RULES = ['through', 'back', 'front'] as const
export type Rule = (typeof RULES)[number]
type Queue = NonNullable<Report['queue']>

/** what each rule counts as a fill. */
const MEANS = {
  through: 'only what must have met the order',
  back: 'behind all who stood there',
  front: 'before all of them',
}

/** Rules are three numbers, with what bounds each of them, and three curves. */
export function Rules({ queue, own }: { queue: Queue; own: string | undefined }) {
  return (
    <section class="rules">
      <h2>
        Orders that rest <small>by the place in the queue, which nobody outside knows</small>
      </h2>
      <dl class="nums three">
        {RULES.map((rule) => {
          const q = queue[rule]
          return (
            <div key={rule}>
              <dt>
                {rule}
                {rule === own ? ', traded here' : ''}
              </dt>
              <dd class={q.total_pnl < 0 ? 'loss' : q.total_pnl > 0 ? 'gain' : ''}>
                {usd(q.total_pnl)}
                <small>
                  {MEANS[rule]}: {rate(q.fill_rate)} of the shares filled, {rate(q.filled_if_won)}{' '}
                  where its token won, {rate(q.filled_if_lost)} where it lost
                </small>
              </dd>
            </div>
          )
        })}
      </dl>
      <Curves queue={queue} />
    </section>
  )
}

/** Curves draws the equity of the three rules over the time at which trades closed. */
function Curves({ queue }: { queue: Queue }) {
  const [box, width, u] = useWidth(620)
  const all = RULES.flatMap((rule) => queue[rule].equity_curve)
  if (all.length === 0) return null
  const times = all.map((p) => instant(p.time))
  const from = Math.min(...minmax(times))
  const to = Math.max(...minmax(times))
  const [least, most] = minmax([0, ...all.map((p) => p.pnl)]) as [number, number]
  const ticks = steps(least, most, 4)
  const label = (v: number) => (v === 0 ? '0' : short(v))
  const left = Math.max(...ticks.map((v) => letters(label(v), u))) + 14 * u
  const right = 62 * u
  const x = (t: number) => left + ((t - from) / (to - from || 1)) * (width - left - right)
  const y = (v: number) => (14 + ((most - v) / (most - least || 1)) * 136) * u
  // Names keep apart where curves end at one height.
  const names = RULES.map((rule) => ({ rule, at: y(queue[rule].total_pnl) })).sort(
    (a, b) => a.at - b.at,
  )
  names.forEach((n, i) => {
    n.at = Math.max(Math.min(n.at, (152 - 13 * (2 - i)) * u), i > 0 ? names[i - 1]!.at + 13 * u : 0)
  })
  const line = (rule: Rule) => {
    const c = queue[rule].equity_curve
    const kept = thinned([0, ...c.map((p) => p.pnl)])
    let d = `M${x(from).toFixed(1)},${y(0).toFixed(1)}`
    for (const i of kept)
      if (i > 0) d += `H${x(instant(c[i - 1]!.time)).toFixed(1)}V${y(c[i - 1]!.pnl).toFixed(1)}`
    return d + `H${(width - right).toFixed(1)}`
  }
  return (
    <div class="curves" ref={box}>
      <svg
        width={width}
        height={182 * u}
        viewBox={`0 0 ${width} ${182 * u}`}
        role="img"
        aria-label={
          'Equity over time under each rule, at the end: ' +
          RULES.map((r) => `${r} ${usd(queue[r].total_pnl)} after ${count(queue[r].trades)}`).join(
            ', ',
          )
        }
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
              {label(v)}
            </text>
          </g>
        ))}
        {RULES.map((rule) => (
          <path key={rule} d={line(rule)} class={'line ' + rule} />
        ))}
        {names.map(({ rule, at }) => (
          <text key={rule} x={width - right + 6 * u} y={at + 4 * u} class={'name ' + rule}>
            {rule}
          </text>
        ))}
        {[from, to].map((t, i) => (
          <text key={i} x={i ? width - right : left} y={174 * u} text-anchor={i ? 'end' : 'start'}>
            {minute(new Date(t * 1000).toISOString())}
          </text>
        ))}
      </svg>
    </div>
  )
}

/** minmax is the least and the most of many numbers. */
const minmax = (xs: readonly number[]): number[] =>
  xs.reduce(([a, b], v) => [Math.min(a!, v), Math.max(b!, v)], [xs[0]!, xs[0]!] as number[])
