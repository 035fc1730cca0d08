// Earlier runs of the same idea, each with its interval.
import type { Run } from './api'
import type { State } from './bench'
import { extent, Mini } from './mini'
import { choiceOf, optionWords } from './strategy'
import { counted, signed } from './text'

/** parts cuts a summary into what it says of each field. */
const parts = (summary: string) =>
  summary.split(/[.;,] (?![^(]*\))/).map((p) => p.replace(/\.$/, ''))

/** changed is what a field says otherwise than another, with the words that lead up to it after what all tries buy. */
function changed(of: string, from: string): string {
  const words = of.split(' ')
  const first = words.findIndex((w, i) => w !== from.split(' ')[i])
  const bought = words.indexOf('markets') + 1
  return words.slice(Math.max(bought <= first ? bought : 0, first - 3)).join(' ')
}

/** label tells in what another run differs: its fields, then its options. */
export function label(of: Run, from: Run): string {
  const here = parts(from.summary)
  const options = optionWords(choiceOf(from.options))
  const out = [
    ...parts(of.summary).flatMap((p, i) => (here.includes(p) ? [] : changed(p, here[i] ?? ''))),
    ...optionWords(choiceOf(of.options)).filter((o) => !options.includes(o)),
  ]
  if (out.length) return out.join(', ')
  return of.summary === from.summary ? 'the same again' : 'says less'
}

export function Tries({ s }: { s: State }) {
  const run = s.run
  // Below the fields: shown before them, they would push it down.
  if (!run || !s.tries || (s.prompt && !s.reading)) return null
  const same = s.tries.filter(
    (t) =>
      t.state === 'done' &&
      t.coin === run.coin &&
      t.market_type === run.market_type &&
      t.side === run.side &&
      t.headline,
  )
  if (same.length < 2) return null
  const shown = same.slice(0, 8)
  const on = extent(shown.map((t) => t.headline!))
  const item = (t: Run) => {
    const h = t.headline!
    return (
      <li key={t.id} aria-current={t.id === run.id ? 'true' : undefined}>
        <a class="t" href={'/runs/' + t.id} title={t.prompt}>
          {t.id === run.id ? 'this run' : label(t, run)}
        </a>
        <Mini of={h} on={on} />
        <span class={'n ' + (h.mean_pnl === null ? '' : h.mean_pnl < 0 ? 'loss' : 'gain')}>
          {h.mean_pnl === null ? '–' : signed(h.mean_pnl)}
        </span>
      </li>
    )
  }
  return (
    <section class="hist" aria-label="Tries of this idea">
      <p class="lab">
        {counted(same.length, 'run')}
        {s.older && ' and older ones'} kept on {run.coin} {run.market_type}. The best of many tries
        looks better than it is.
      </p>
      <ol>{shown.map(item)}</ol>
    </section>
  )
}
