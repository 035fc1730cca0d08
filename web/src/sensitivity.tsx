// The total pnl under other conditions.
import type { Report } from './api'
import { count, dollars, fixed, thousands } from './text'

const whole = (x: number) => (x > 0 ? '+$' : x < 0 ? '−$' : '$') + thousands(fixed(Math.abs(x), 0))

export function Sensitivity({ report }: { report: Report }) {
  const cells = report.sensitivity
  if (!cells?.length) return null
  const rows = new Map<string, typeof cells>()
  for (const c of cells)
    rows.set(`${c.latency_ms} ${c.fees}`, [...(rows.get(`${c.latency_ms} ${c.fees}`) ?? []), c])
  const most = Math.max(1, ...cells.map((c) => Math.abs(c.total_pnl)))
  const first = [...rows.values()][0]!
  return (
    <div class="sens" tabIndex={0} role="region" aria-label="Total pnl under other conditions">
      <table class="sw">
        <thead>
          <tr>
            <th scope="col">latency</th>
            <th scope="col">fees</th>
            {first.map((c) => (
              <th key={c.budget} scope="col" class="n">
                {dollars(c.budget).replace('.00', '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...rows.values()].map((row) => (
            <tr key={row[0]!.latency_ms + row[0]!.fees}>
              <th scope="row">{count(row[0]!.latency_ms)} ms</th>
              <th scope="row">{row[0]!.fees}</th>
              {row.map((c, i) => (
                <td
                  key={i}
                  class={
                    (c.total_pnl < 0 ? 'neg' : 'pos') +
                    (i === 1 &&
                    c.latency_ms === report.options.latency_ms &&
                    c.fees === report.options.fees
                      ? ' cur'
                      : '')
                  }
                  style={{ '--a': `${(Math.abs(c.total_pnl) / most) * 46}%` }}
                >
                  {whole(c.total_pnl)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="q small">
        Framed: as run. Without fees the same budget buys more shares, so those rows differ from the
        pnl before fees.
      </p>
    </div>
  )
}
