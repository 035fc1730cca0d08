// The lives of the orders of a round that rested: what stood before each of them, what
// wore that off, and what filled it.
import type { Explanation } from './api'
import { useWidth } from './chart'
import { RULES, type Rule } from './rules'
import { fine, fixed, instant, shares } from './text'

export type Life = NonNullable<Explanation['resting']>[Rule][number]

/** named says an order as the summary counts them: "entry: bid Up 0.45", "order 1: …". */
export const named = (l: Life) =>
  `${l.order.replace(/^then\.(\d+)$/, (_, n) => `order ${Number(n) + 1}`)}: ${l.action === 'buy' ? 'bid' : 'ask'} ${l.token === 'up' ? 'Up' : 'Down'} ${fixed(l.price, 3).replace(/0$/, '')}`

/** Lives lists the orders under one rule, which can be chosen. */
export function Lives({
  resting,
  rule,
  choose,
}: {
  resting: NonNullable<Explanation['resting']>
  rule: Rule
  choose: (r: Rule) => void
}) {
  return (
    <div class="lives" role="group" aria-label="Orders that rested">
      <h3>
        Orders that rested{' '}
        <span class="pn">
          {RULES.map((r) => (
            <button key={r} aria-pressed={r === rule} onClick={() => choose(r)}>
              {r}
            </button>
          ))}
        </span>
      </h3>
      {resting[rule].length === 0 && <p>None was accepted.</p>}
      {resting[rule].map((l, i) => (
        <OneLife key={rule + i} l={l} />
      ))}
    </div>
  )
}

const size = (v: number | null) => (v === null ? 'not shown' : shares(v))

/** OneLife draws the queue before an order over its life, and where it filled. */
function OneLife({ l }: { l: Life }) {
  const [box, width, u] = useWidth(300)
  const from = instant(l.accepted)
  const to = Math.max(instant(l.ended), from + 0.001)
  const most = Math.max(l.ahead ?? 0, 1e-6)
  const x = (t: number) => 2 + ((t - from) / (to - from)) * (width - 4)
  const y = (v: number) => (6 + (1 - v / most) * 34) * u
  let d = ''
  if (l.ahead !== null) {
    d = `M${x(from)},${y(0)}V${y(l.ahead)}`
    for (const w of l.wear) d += `H${x(instant(w.time))}V${y(w.ahead ?? most)}`
    d += `H${x(to)}V${y(0)}Z`
  }
  const got = Math.max(...l.wear.map((w) => w.filled), 1e-6)
  return (
    <div class="life" ref={box}>
      <p>
        <b>{named(l)}</b> {fine(l.accepted, 1)} to {fine(l.ended, 1)}, then {l.end}:{' '}
        {shares(l.filled)} of {shares(l.shares)} shares
        {l.taken > 0 ? `, ${shares(l.taken)} of them at its arrival` : ''}; queue ahead{' '}
        {size(l.ahead)}
      </p>
      <svg
        width={width}
        height={46 * u}
        viewBox={`0 0 ${width} ${46 * u}`}
        role="img"
        aria-label={`Queue ahead of ${named(l)}: ${size(l.ahead)} as it came to rest, ${size(l.wear.at(-1)?.ahead ?? l.ahead)} at the end`}
      >
        {d && <path d={d} class="ahead" />}
        <line x1="2" x2={width - 2} y1={y(0)} y2={y(0)} class="grid" />
        {l.wear
          .filter((w) => w.filled > 0)
          .map((w, i) => (
            <rect
              key={i}
              x={x(instant(w.time)) - 1.5}
              width="3"
              y={y(0) - Math.max(3, (w.filled / got) * 34) * u}
              height={Math.max(3, (w.filled / got) * 34) * u}
              class="got"
            />
          ))}
      </svg>
      {l.wear.length > 0 && (
        <details class="astable">
          <summary>What wore it off</summary>
          <div class="scroll low" tabIndex={0} role="region" aria-label={`Life of ${named(l)}`}>
            <table>
              <thead>
                <tr>
                  <th>time, UTC</th>
                  <th class="n">ahead</th>
                  <th class="n">at it</th>
                  <th class="n">beyond</th>
                  <th class="n">offered</th>
                  <th class="n">filled</th>
                </tr>
              </thead>
              <tbody>
                {l.wear.map((w, i) => (
                  <tr key={i} class={w.filled > 0 ? 'tk' : ''}>
                    <td>{fine(w.time, 2)}</td>
                    <td class="n">{w.before === null ? '–' : shares(w.before)}</td>
                    <td class="n">{w.at > 0 ? shares(w.at) : ''}</td>
                    <td class="n">{w.below > 0 ? shares(w.below) : ''}</td>
                    <td class="n">
                      {w.offered === null ? '–' : w.offered > 0 ? shares(w.offered) : ''}
                    </td>
                    <td class="n">{w.filled > 0 ? shares(w.filled) : ''}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </div>
  )
}
