// What is on the record of tries of a series: how many there were, which, what was reset and
// why, and the lockboxes.
import type { components } from './api.gen'
import { useAsked } from './form'
import { clock, count, counted, NONE } from './text'

type Tried = components['schemas']['TriesRecord']

const independent = (x: number) => count(Math.round(x * 10) / 10)

/** Record asks for the tries of an organization on rounds of a coin and length. */
export function Record({ coin, type }: { coin: string; type: string }) {
  const { got, told } = useAsked<Tried>(`/v1/ai/tries?coin=${coin}&market_type=${type}`)
  if (told) return <p class="q pad">{told.text}</p>
  if (!got) return null
  const all = got.families.reduce((n, f) => n + f.tries, 0)
  return (
    <div class="record">
      <p>
        {counted(all, 'try')} on {coin} {type}, of either side. What runs again is still the same
        one; sweeps are deflated for those before them.
      </p>
      {got.tries.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Tries on record">
          <table>
            <thead>
              <tr>
                <th>look</th>
                <th>tried</th>
                <th class="n">variants</th>
                <th class="n wide">counts for</th>
                <th class="wide">begun, UTC</th>
              </tr>
            </thead>
            <tbody>
              {got.tries.map((t) => (
                <tr key={t.look + t.made_at}>
                  <td class="n">{count(t.look)}</td>
                  <td class="words">
                    {t.prompt || NONE}
                    {!t.done_at && <small> not over</small>}
                  </td>
                  <td class="n">{count(t.variants)}</td>
                  <td class="n wide">{independent(t.independent_tries)}</td>
                  <td class="when wide">{clock(t.made_at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {all > got.tries.length && <p class="q">The newest {count(got.tries.length)} of them.</p>}
      <ul class="has">
        {got.resets.map((r) => (
          <li key={r.made_at}>
            {clock(r.made_at)}: {counted(r.tries, 'try')} taken out of the count: “{r.reason}”
          </li>
        ))}
        {got.lockboxes.map((b) => (
          <li key={b.made_at}>
            {clock(b.made_at)}: rounds that end from {clock(b.from)} on put aside
            {b.opened_at
              ? `, opened ${clock(b.opened_at)} after ${counted(b.tries ?? 0, 'try')}`
              : ', still locked'}
          </li>
        ))}
      </ul>
    </div>
  )
}
