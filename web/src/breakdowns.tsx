// Where the pnl came from.
import type { ReportWords } from './api'
import { count, rate, usd } from './text'

export function Breakdowns({ words }: { words: ReportWords }) {
  return (
    <div class="tables">
      {words.breakdowns.map(({ name, rows }) => (
        <div
          key={name}
          class={rows.length > 12 ? 'scroll low' : 'wrapx'}
          {...(rows.length > 12 && {
            tabIndex: 0,
            role: 'region' as const,
            'aria-label': `By ${name}`,
          })}
        >
          <table>
            <thead>
              <tr>
                <th>by {name}</th>
                <th class="n">trades</th>
                <th class="n">win rate</th>
                <th class="n wide">per trade</th>
                <th class="n">total pnl</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((g) => (
                <tr key={g.key}>
                  <td>{g.key}</td>
                  <td class="n">{count(g.trades)}</td>
                  <td class="n">{rate(g.win_rate)}</td>
                  <td class="n wide">{usd(g.mean_pnl)}</td>
                  <td class={'n ' + (g.total_pnl < 0 ? 'loss' : 'gain')}>{usd(g.total_pnl)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </div>
  )
}
