// Equity after each trade, with its drawdown.
import { useMemo, useState } from 'preact/hooks'
import type { Report } from './api'
import { letters, short, steps, useWidth, within } from './chart'
import { count, counted, dollars, minute, signed, usd } from './text'

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

/** around widens a range to whole ticks, and lists them. */
function around(low: number, high: number, about: number): number[] {
  const ticks = steps(low, high, about)
  const by = (ticks[1] ?? 1) - (ticks[0] ?? 0) || 1
  if (ticks[0]! > low + 1e-9) ticks.unshift(ticks[0]! - by)
  if (ticks.at(-1)! < high - 1e-9) ticks.push(ticks.at(-1)! + by)
  return ticks
}

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
  const [pointed, hover] = useState(0) // the trade under the pointer, or where the keys are; 0: none
  const trades = report.trades
  const n = trades.length
  const over = Math.min(pointed, n) // the run before had more of them
  const shape = useMemo(() => {
    const equity = [0, ...report.equity_curve]
    let top = 0
    const fall = equity.map((v) => ((top = Math.max(top, v)), top - v))
    const days: number[] = []
    trades.forEach(
      (t, i) =>
        i > 0 && t.exit_time.slice(0, 10) !== trades[i - 1]!.exit_time.slice(0, 10) && days.push(i),
    )
    let low = 0
    let high = 0
    equity.forEach((v, i) => {
      if (v < equity[low]!) low = i
      if (v > equity[high]!) high = i
    })
    return {
      equity,
      fall,
      days: days.length > 6 ? [] : days,
      at: thinned(equity),
      deep: thinned(fall),
      low: equity[low]!,
      best: high,
      ticks: around(equity[low]!, equity[high]!, 4),
    }
  }, [report])
  const { equity, fall, ticks } = shape
  const label = (v: number) => (v === 0 ? '0' : short(v))
  const deepest = Math.max(report.stats.max_drawdown, 1e-6)
  // As much room as the widest label takes.
  const left = Math.max(...[...ticks, -deepest].map((v) => letters(label(v), u))) + 14 * u
  const right = 8
  const low = ticks[0]!
  const high = ticks.at(-1)!
  const x = (i: number) => left + (i / Math.max(1, n)) * (width - left - right)
  const y = (v: number) => (156 - ((v - low) / (high - low || 1)) * 140) * u
  const z = (v: number) => (186 + (v / deepest) * 38) * u
  const line = (at: readonly number[], f: (i: number) => number) =>
    at.map((i) => `${x(i).toFixed(1)},${f(i).toFixed(1)}`).join(' ')
  const under = (e: PointerEvent & { currentTarget: SVGSVGElement }) =>
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
  const keys = (e: KeyboardEvent) => {
    const at = over || chosen
    const far = Math.max(1, Math.round(n / 10))
    const to = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageUp: at + far,
      PageDown: at - far,
      Home: 1,
      End: n,
    }[e.key]
    if (e.ctrlKey || e.metaKey || e.altKey) return
    if (e.key === 'Enter' || e.key === ' ') choose(at)
    else if (to !== undefined) hover(Math.max(1, Math.min(n, to)))
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  const at = over || Math.min(chosen, n)
  const told = (i: number) =>
    `#${count(i)} ${usd(trades[i - 1]!.pnl)}, equity ${usd(equity[i]!)}, ${minute(trades[i - 1]!.exit_time)}`
  const numbers = steps(1, n, Math.max(2, Math.min(8, width / u / 90))).filter(
    (v) => Number.isInteger(v) && v >= 1,
  )
  const peak = shape.best > 0 && n <= 5000
  return (
    <div class="equity" ref={box}>
      <svg
        width={width}
        height={250 * u}
        viewBox={`0 0 ${width} ${250 * u}`}
        role="slider"
        tabIndex={0}
        aria-valuemin={1}
        aria-valuemax={n}
        aria-valuenow={at}
        aria-valuetext={told(at)}
        aria-label={`Equity after each of ${counted(n, 'trade')}: best ${usd(equity[shape.best]!)}, at the end ${usd(equity[n]!)}; max drawdown ${dollars(report.stats.max_drawdown)}. Enter opens the trade.`}
        onPointerMove={(e) => hover(under(e))}
        onPointerLeave={() => hover(0)}
        onClick={(e) => choose(over || under(e as PointerEvent & { currentTarget: SVGSVGElement }))}
        onKeyDown={keys}
        onBlur={() => hover(0)}
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
        {shape.days.map((i) => (
          <g key={i}>
            <line x1={x(i + 0.5)} x2={x(i + 0.5)} y1="4" y2={226 * u} class="day" />
            {x(i) < width - 60 * u && (
              <text x={x(i + 0.5) + 5} y={11 * u}>
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
        <text x={left - 6 * u} y={z(deepest) + 3 * u} text-anchor="end">
          {report.stats.max_drawdown > 0 ? label(-deepest) : '0'}
        </text>
        <text x={left + 4} y={182 * u}>
          drawdown
        </text>
        {numbers.map((v) => (
          <text key={v} x={x(v)} y={245 * u} text-anchor={x(v) > width - 50 * u ? 'end' : 'middle'}>
            {(v === numbers[0] ? 'trade ' : '') + count(v)}
          </text>
        ))}
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
        {peak && (
          <text
            x={within(x(shape.best), signed(equity[shape.best]!), width, u, left)}
            y={y(equity[shape.best]!) - 6 * u}
            text-anchor="middle"
            class="strong"
          >
            {signed(equity[shape.best]!)}
          </text>
        )}
        {chosen >= 1 && chosen <= n && (
          <circle cx={x(chosen)} cy={y(equity[chosen]!)} r="4.5" class="sel" />
        )}
        {over > 0 && (
          <g>
            <line x1={x(over)} x2={x(over)} y1="4" y2={226 * u} class="cursor" />
            <circle cx={x(over)} cy={y(equity[over]!)} r="3.5" class="mean" />
            <text
              x={Math.max(left + 120 * u, Math.min(width - 130 * u, x(over)))}
              y={172 * u}
              text-anchor="middle"
              class="strong"
            >
              {told(over)}
            </text>
          </g>
        )}
      </svg>
    </div>
  )
}
