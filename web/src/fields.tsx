// What a sentence was read as, field by field, with the words that each came from.
import type { Parsed } from './api'
import { Hint } from './hint'
import { rows } from './strategy'
import { quoted, sentence } from './text'

export function Fields({
  parsed,
  old,
  folded,
  light,
}: {
  parsed: Parsed
  old: boolean // of an older text than the one that stands there
  folded: boolean // one line until it is opened
  light: (paths: readonly string[]) => void
}) {
  const all = rows(parsed.parse.summary, parsed.parse)
  const list = (
    <dl class={'f' + (old ? ' old' : '')}>
      {all.map((r, i) => (
        <div
          key={i}
          class={r.words.length ? r.kind : 'none'}
          onMouseEnter={() => light(r.paths)}
          onMouseLeave={() => light([])}
        >
          <dt>{r.name}</dt>
          <dd>
            <span>
              {r.value}
              {r.words.length > 0 && <small class="from"> {r.words.map(quoted).join(' ')}</small>}
            </span>
            {(r.assumed.length > 0 || r.words.length === 0) && (
              <span class="tag">
                <Hint help={sentence(r.assumed.join('; ') || 'nothing was said of it') + '.'}>
                  assumed
                </Hint>
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
  if (!folded) return list
  return (
    <details class="folded">
      <summary title={all.map((r) => r.value).join(' · ')}>
        {all.map((r) => r.value).join(' · ')}
      </summary>
      {list}
    </details>
  )
}
