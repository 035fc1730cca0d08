// What happened after the fills: how the price went on, how far it went against and for a
// trade, how long a record must be, and how deep other orders would have fallen.
import type { Report } from './api'
import { extent, Mini } from './mini'
import { count, counted, dollars, interval, signedPrice } from './text'

type Facts = NonNullable<Report['after']>
type One = Facts['trades'][number]

const tone = (x: number | null | undefined) => (!x ? '' : x < 0 ? ' loss' : ' gain')
const markout = (after: string) => ('markout_' + after) as keyof One

/** After draws what a report says with include: after; nothing where it was not asked for. */
export function After({ report, chosen }: { report: Report; chosen: number }) {
  const a = report.after
  if (!a?.trades.length) return null
  const trade = a.trades[chosen - 1]
  const means = a.markouts.map((m) => ({ mean_pnl: m.mean, mean_pnl_interval: m.interval }))
  const on = extent(means)
  const row = (name: string, mean: number | null, one: number | null | undefined, i?: number) => (
    <tr key={name}>
      <td>{name}</td>
      <td>{i !== undefined && <Mini of={means[i]!} on={on} write={signedPrice} />}</td>
      <td class={'n' + tone(mean)}>{signedPrice(mean)}</td>
      <td class="n wide">
        {i === undefined ? '' : interval(a.markouts[i]!.interval, signedPrice)}
      </td>
      <td class={'n' + tone(one)}>{signedPrice(one)}</td>
    </tr>
  )
  const long = a.min_track_record
  const band = a.drawdown
  return (
    <section class="after" aria-label="After the fill">
      <h2>
        After the fill <small>USD a share from what was paid, without fees</small>
      </h2>
      <div class="wrapx">
        <table>
          <thead>
            <tr>
              <th>price</th>
              <td />
              <th class="n">mean</th>
              <th class="n wide">95% interval</th>
              <th class="n">trade {count(chosen)}</th>
            </tr>
          </thead>
          <tbody>
            {a.markouts.map((m, i) =>
              row(
                m.after === 'settlement' ? 'at settlement' : m.after.replace('s', ' s after'),
                m.mean,
                trade?.[markout(m.after)],
                i,
              ),
            )}
            {row('worst until the exit', a.mean_mae, trade?.mae)}
            {row('best until the exit', a.mean_mfe, trade?.mfe)}
          </tbody>
        </table>
      </div>
      <p class="q small">
        {long === null
          ? 'No number of trades like these shows a ratio above 0.'
          : `A ratio like this one shows a true one above 0 after ${counted(long, 'trade')}, were they independent; there are ${count(a.trades.length)}.`}
        {band &&
          ` Deepest drawdown in other orders of the same results: ${dollars(band.median)} in the middle, ${dollars(band.p95)} or more in 1 of 20; it was ${dollars(report.stats.max_drawdown)}.`}
      </p>
    </section>
  )
}
