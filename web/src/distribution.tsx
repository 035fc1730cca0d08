// How many trades made how much.
import type { Report } from './api'
import { letters, short, steps, useWidth } from './chart'
import { counted, usd } from './text'

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
  const side = Math.max(20 * u, letters(short(low), u) / 2 + 4, letters(short(high), u) / 2 + 4)
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
        <defs>
          <pattern id="losing" width="5" height="5" patternUnits="userSpaceOnUse">
            <rect width="5" height="5" class="l" />
            <path d="M-1,1l2,-2M0,5l5,-5M4,6l2,-2" class="hatch" />
          </pattern>
        </defs>
        {bins.map(
          (n, i) =>
            n > 0 && (
              <g key={i}>
                <rect
                  x={side + i * w + 1}
                  width={Math.max(1, w - 2)}
                  y={120 * u - high_(n)}
                  height={high_(n)}
                  class={from + i * by + by / 2 < 0 ? 'losing' : 'g'}
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
