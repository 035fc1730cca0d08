// The mean of a trade with its interval.
import type { Report } from './api'
import { letters, short, steps, useWidth, within } from './chart'
import { signed, usd } from './text'

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
  const clear = (v: number) =>
    Math.abs(within(x(v), signed(v), width, u) - within(x(mean), signed(mean), width, u)) >
    (letters(signed(v), u) + letters(signed(mean), u)) / 2 + 8 * u
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
          .filter((v) => within(x(v), short(v), width, u) === x(v))
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
        <text
          x={within(x(mean), signed(mean), width, u)}
          y={14 * u}
          text-anchor="middle"
          class="strong"
        >
          {signed(mean)}
        </text>
        {i &&
          i.map(
            (v) =>
              clear(v) && (
                <text key={v} x={within(x(v), signed(v), width, u)} y={16 * u} text-anchor="middle">
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
