// A ladder that an order met: what was shown, and what it took.
import type { Explanation } from './api'
import { fine, fixed, instant, shares } from './text'

export function Ladder({ order, title }: { order: Explanation['orders'][number]; title: string }) {
  const most = Math.max(1, ...order.levels.map((l) => l.shown ?? l.taken))
  return (
    <>
      <h3>{title}</h3>
      <p>
        {order.as_of
          ? `as of ${fine(order.as_of)}, ${age(order.as_of, order.arrival)} old`
          : 'as of no book'}
        {order.cap != null ? `; cap ${fixed(order.cap, 2)}` : ''}
      </p>
      <table class={order.action === 'buy' ? 'buy' : 'sell'}>
        <thead>
          <tr>
            <th class="n">price</th>
            <th class="n">shown</th>
            <th class="n">taken</th>
            <th>
              <span class="sr">size</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {order.levels.map((l, i) => (
            <tr key={i} class={l.taken > 0 ? 'tk' : ''}>
              <td class="n">{fixed(l.price, 3).replace(/0$/, '')}</td>
              <td class="n q">{l.shown === null ? '–' : shares(l.shown)}</td>
              <td class="n">{l.taken > 0 ? shares(l.taken) : ''}</td>
              <td class="wb">
                <i style={{ width: `${((l.shown ?? 0) / most) * 100}%` }} />
                <b style={{ width: `${(l.taken / most) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {order.refused && <p class="loss">{order.refused}</p>}
    </>
  )
}

function age(asOf: string, at: string): string {
  const ms = (instant(at) - instant(asOf)) * 1000
  return ms < 10
    ? fixed(ms, 1) + ' ms'
    : ms < 1000
      ? fixed(ms, 0) + ' ms'
      : fixed(ms / 1000, 1) + ' s'
}
