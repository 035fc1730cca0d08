// Pictures of a run: the interval of the mean, equity with drawdown, distribution.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Report } from './api'
import { counted, dollars, minute, signed, usd } from './text'

/** css reads a colour of the style sheet. */
export const css = (name: string) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue('--' + name)
    .trim()

/** onScheme calls back when the page turns light or dark. */
export function onScheme(f: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', f)
  return () => dark.removeEventListener('change', f)
}

/** steps are round numbers over a range, about so many. */
export function steps(low: number, high: number, about: number): number[] {
  const rough = (high - low) / about || 1
  const size = 10 ** Math.floor(Math.log10(rough))
  const by = [1, 2, 5, 10].map((m) => m * size).find((s) => s >= rough) ?? size * 10
  const out = []
  for (let x = Math.ceil(low / by - 1e-9); x * by <= high + 1e-9; x++)
    out.push(Number((x * by).toPrecision(12)))
  return out
}

const short = (x: number) => signed(x, Math.abs(x) < 1 && x !== 0 ? 2 : 0)

/** Interval draws the mean of a trade with its interval, zero, and the baseline. */
export function Interval({ report }: { report: Report }) {
  const [box, width, u] = useWidth(400)
  const mean = report.stats.mean_pnl
  if (mean === null) return null
  const i = report.stats.mean_pnl_interval
  const base = report.baseline?.mean_pnl ?? null
  const all = [0, mean, ...(i ?? []), ...(base === null ? [] : [base])]
  const room = (Math.max(...all) - Math.min(...all) || 1) * 0.09
  const low = Math.min(...all) - room
  const high = Math.max(...all) + room
  const x = (v: number) => 14 * u + ((v - low) / (high - low)) * (width - 28 * u)
  // The ends give way to the mean where they would run into it.
  const clear = (v: number) => Math.abs(x(v) - x(mean)) > 44 * u
  return (
    <div class="interval" ref={box}>
      <svg
        width={width}
        height={74 * u}
        viewBox={`0 0 ${width} ${74 * u}`}
        role="img"
        aria-label={
          `Mean ${usd(mean)} per trade` +
          (i ? `, 95% interval from ${usd(i[0])} to ${usd(i[1])}` : '') +
          (base === null ? '' : `; baseline ${usd(base)}`)
        }
      >
        <line x1={10 * u} x2={width - 10 * u} y1={46 * u} y2={46 * u} class="grid" />
        {steps(low, high, Math.min(5, width / u / 70))
          .filter((v) => x(v) > 20 * u && x(v) < width - 20 * u)
          .map((v) => (
            <g key={v}>
              <line x1={x(v)} x2={x(v)} y1={43 * u} y2={49 * u} class="zero" />
              <text x={x(v)} y={64 * u} text-anchor="middle">
                {short(v)}
              </text>
            </g>
          ))}
        <line x1={x(0)} x2={x(0)} y1={4 * u} y2={46 * u} class="zero" />
        {i && (
          <rect
            x={x(i[0]!)}
            width={x(i[1]!) - x(i[0]!)}
            y={22 * u}
            height={10 * u}
            rx="2"
            class="ci"
          />
        )}
        <circle cx={x(mean)} cy={27 * u} r={6 * u} class="mean" />
        {base !== null && (
          <path
            d={`M${x(base)},${39 * u} l${5 * u},${7 * u} l${-5 * u},${7 * u} l${-5 * u},${-7 * u}z`}
            class="base"
          />
        )}
        <text x={x(mean)} y={14 * u} text-anchor="middle" class="strong">
          {signed(mean)}
        </text>
        {i &&
          i.map(
            (v) =>
              clear(v) && (
                <text
                  key={v}
                  x={Math.max(20 * u, Math.min(width - 20 * u, x(v)))}
                  y={16 * u}
                  text-anchor="middle"
                >
                  {signed(v)}
                </text>
              ),
          )}
      </svg>
      <p class="key">
        <span>● mean pnl per trade, USD</span>
        {i && <span>▬ 95% interval</span>}
        {base !== null && <span>◇ baseline</span>}
      </p>
    </div>
  )
}

/** useWidth measures an element, in pixels, and its letters, in those of the page at its own size: pictures grow with their text. */
export function useWidth(otherwise: number): [{ current: HTMLDivElement | null }, number, number] {
  const box = useRef<HTMLDivElement>(null)
  const [size, put] = useState<[number, number]>([otherwise, 1])
  useLayoutEffect(() => {
    const el = box.current!
    const measure = () => {
      const now: [number, number] = [el.clientWidth, scaleOf(el)]
      if (now[0] > 0) put((was) => (was[0] === now[0] && was[1] === now[1] ? was : now))
    }
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(el)
    return () => sizes.disconnect()
  }, [])
  return [box, ...size]
}

/** scaleOf is how much larger than by itself the text of an element is. */
export const scaleOf = (el: Element) => parseFloat(getComputedStyle(el).fontSize) / 14

const most = 2000 // points of a line

/** thinned keeps of each run of points the lowest and the highest. */
export function thinned(ys: readonly number[]): number[] {
  if (ys.length <= most) return ys.map((_, i) => i)
  const by = Math.ceil(ys.length / (most / 2))
  const out = [0]
  for (let i = 0; i < ys.length; i += by) {
    let low = i
    let high = i
    for (let j = i; j < Math.min(i + by, ys.length); j++) {
      if (ys[j]! < ys[low]!) low = j
      if (ys[j]! > ys[high]!) high = j
    }
    out.push(Math.min(low, high), Math.max(low, high))
  }
  return [...out, ys.length - 1]
}

/** Equity draws the curve after each trade and, below it, how far it is under its best. */
export function Equity({
  report,
  chosen,
  choose,
}: {
  report: Report
  chosen: number
  choose: (n: number) => void
}) {
  const [box, width, u] = useWidth(620)
  const [over, hover] = useState(0)
  const trades = report.trades
  const n = trades.length
  const shape = useMemo(() => {
    const equity = [0, ...report.equity_curve]
    let top = 0
    const fall = equity.map((v) => ((top = Math.max(top, v)), top - v))
    const days: number[] = []
    trades.forEach(
      (t, i) =>
        i > 0 && t.exit_time.slice(0, 10) !== trades[i - 1]!.exit_time.slice(0, 10) && days.push(i),
    )
    return {
      equity,
      fall,
      days: days.length > 6 ? [] : days,
      at: thinned(equity),
      deep: thinned(fall),
    }
  }, [report])
  const { equity, fall } = shape
  const left = 44 * u
  const right = 6
  const low = Math.min(...(equity.length > 5e4 ? shape.at.map((i) => equity[i]!) : equity))
  const high = Math.max(...(equity.length > 5e4 ? shape.at.map((i) => equity[i]!) : equity))
  const deepest = Math.max(report.stats.max_drawdown, 1e-6)
  const x = (i: number) => left + (i / Math.max(1, n)) * (width - left - right)
  const y = (v: number) => (168 - ((v - low) / (high - low || 1)) * 158) * u
  const z = (v: number) => (184 + (v / deepest) * 44) * u
  const line = (at: readonly number[], f: (i: number) => number) =>
    at.map((i) => `${x(i).toFixed(1)},${f(i).toFixed(1)}`).join(' ')
  const pick = (e: PointerEvent & { currentTarget: SVGSVGElement }) =>
    Math.max(
      1,
      Math.min(
        n,
        Math.round(
          ((e.clientX - e.currentTarget.getBoundingClientRect().left - left) /
            (width - left - right)) *
            n,
        ),
      ),
    )
  const told = over || 0
  return (
    <div class="equity" ref={box}>
      <svg
        width={width}
        height={236 * u}
        viewBox={`0 0 ${width} ${236 * u}`}
        role="img"
        aria-label={`Equity after each of ${counted(n, 'trade')}: best ${usd(high)}, at the end ${usd(equity[n]!)}; max drawdown ${dollars(report.stats.max_drawdown)}.`}
        onPointerMove={(e) => hover(pick(e))}
        onPointerLeave={() => hover(0)}
        onClick={(e) => choose(pick(e as PointerEvent & { currentTarget: SVGSVGElement }))}
      >
        {steps(low, high, 5).map((v) => (
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
        {shape.days.map((i) => (
          <g key={i}>
            <line x1={x(i + 0.5)} x2={x(i + 0.5)} y1="4" y2={228 * u} class="day" />
            {x(i) < width - 60 * u && (
              <text x={x(i + 0.5) + 5} y={14 * u}>
                {minute(trades[i]!.exit_time).slice(0, 6)}
              </text>
            )}
          </g>
        ))}
        <polygon
          points={`${left},${z(0)} ${line(shape.deep, (i) => z(fall[i]!))} ${width - right},${z(0)}`}
          class="fall"
        />
        <line x1={left} x2={width - right} y1={z(0)} y2={z(0)} class="grid" />
        <text x={left - 6 * u} y={190 * u} text-anchor="end">
          0
        </text>
        <text x={left - 6 * u} y={231 * u} text-anchor="end">
          {signed(-deepest, 0)}
        </text>
        <polyline points={line(shape.at, (i) => y(equity[i]!))} class="line" />
        {n <= 400 &&
          trades.map((t, i) => (
            <circle
              key={i}
              cx={x(i + 1)}
              cy={y(equity[i + 1]!)}
              r="2.2"
              class={t.pnl < 0 ? 'lost' : 'won'}
            />
          ))}
        {chosen >= 1 && chosen <= n && (
          <circle cx={x(chosen)} cy={y(equity[chosen]!)} r="4.5" class="sel" />
        )}
        {told > 0 && (
          <g>
            <line x1={x(told)} x2={x(told)} y1="4" y2={228 * u} class="day" />
            <text
              x={Math.max(left + 70 * u, Math.min(width - 80 * u, x(told)))}
              y={182 * u}
              text-anchor="middle"
              class="strong"
            >
              #{told} {usd(trades[told - 1]!.pnl)}, equity {usd(equity[told]!)}
            </text>
          </g>
        )}
      </svg>
    </div>
  )
}

/** Distribution counts trades by pnl. */
export function Distribution({ report }: { report: Report }) {
  const [box, width, u] = useWidth(400)
  const pnl = report.trades.map((t) => t.pnl)
  const low = Math.min(0, ...pnl)
  const high = Math.max(0, ...pnl)
  const ticks = steps(low, high, Math.max(2, Math.min(16, width / u / 24)))
  const by = (ticks[1] ?? 1) - (ticks[0] ?? 0)
  const from = Math.floor(low / by) * by
  const bins = new Array<number>(
    Math.max(1, Math.round((Math.ceil(high / by) * by - from) / by)),
  ).fill(0)
  for (const p of pnl) bins[Math.min(bins.length - 1, Math.floor((p - from) / by + 1e-9))]!++
  const most = Math.max(...bins)
  const side = 20 * u
  const w = (width - 2 * side) / bins.length
  const x = (v: number) => side + ((v - from) / (by * bins.length)) * (width - 2 * side)
  const high_ = (n: number) => (n / most) * 96 * u
  const mean = report.stats.mean_pnl ?? 0
  return (
    <div id="distribution" ref={box}>
      <svg
        width={width}
        height={150 * u}
        viewBox={`0 0 ${width} ${150 * u}`}
        role="img"
        aria-label={`Distribution of pnl over ${counted(pnl.length, 'trade')}, from ${usd(low)} to ${usd(high)}.`}
      >
        {bins.map(
          (n, i) =>
            n > 0 && (
              <g key={i}>
                <rect
                  x={side + i * w + 1}
                  width={Math.max(1, w - 2)}
                  y={120 * u - high_(n)}
                  height={high_(n)}
                  class={from + i * by + by / 2 < 0 ? 'l' : 'g'}
                  rx="1"
                />
                <text x={side + i * w + w / 2} y={115 * u - high_(n)} text-anchor="middle">
                  {n}
                </text>
              </g>
            ),
        )}
        <line x1={14 * u} x2={width - 14 * u} y1={120 * u} y2={120 * u} class="zero" />
        <line x1={x(mean)} x2={x(mean)} y1={8 * u} y2={120 * u} class="meanline" />
        {steps(from, from + by * bins.length, Math.max(2, Math.min(6, width / u / 60))).map((v) => (
          <text key={v} x={x(v)} y={138 * u} text-anchor="middle">
            {short(v)}
          </text>
        ))}
      </svg>
    </div>
  )
}
