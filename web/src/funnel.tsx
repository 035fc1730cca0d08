// Where the markets went.
import type { ReportWords } from './api'
import { count, counted } from './text'

export function Funnel({ words }: { words: ReportWords }) {
  const of = words.funnel[0]?.n ?? 0
  const sampled = words.funnel.find((s) => s.name === 'sampled')?.n ?? 0
  const quiet = sampled - (words.funnel.find((s) => s.name === 'signalled')?.n ?? 0)
  const bar = (name: string, s: ReportWords['funnel'][number], bad = false) => (
    <div class={'fn' + (bad ? ' bad' : '')} key={name}>
      <span title={s.words}>{name}</span>
      <span class="bar">
        <i style={{ width: `${of ? (s.n / of) * 100 : 0}%` }} />
      </span>
      <b>{count(s.n)}</b>
    </div>
  )
  return (
    <div class="funnel">
      {words.funnel.map((s) => bar(s.name, s))}
      {words.refused.length > 0 && <p class="lab">Orders refused, on the same scale:</p>}
      {words.refused.map((s) => bar(s.words, s, true))}
      <p class="q small">
        {quiet > 0 ? `In ${counted(quiet, 'market')} the entry rule never held. ` : ''}
        {words.refused.length === 0 ? 'No order was refused.' : ''}
      </p>
    </div>
  )
}
