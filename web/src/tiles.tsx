// Seven numbers of a run, each with what bounds it and, for who asks, what it is.
import type { ReportWords } from './api'
import { Hint } from './hint'
import { prose } from './prose'

export function Tiles({ words }: { words: ReportWords }) {
  return (
    <dl class="nums seven">
      {words.tiles.map((t) => (
        <div key={t.name}>
          <dt>
            <Hint help={t.help}>{t.name}</Hint>
          </dt>
          <dd class={t.sign < 0 ? 'loss' : t.sign > 0 ? 'gain' : ''}>
            {t.value}
            <small>{prose(t.note)}</small>
          </dd>
        </div>
      ))}
    </dl>
  )
}
