// The left side: the sentence, what it was read as, the options, Run, and the tries.
import { useState } from 'preact/hooks'
import { useBench } from './bench'
import { Examples } from './examples'
import { Fields } from './fields'
import { Options } from './options'
import { useMedia } from './media'
import { Refusal } from './refusal'
import { RunButton } from './runbutton'
import { line, MOST, points, Sentence } from './sentence'
import { count } from './text'
import { Tries } from './tries'

/** Editor shows nothing below the sentence while a run is coming with one: it would only be pushed away. */
export function Editor({ id }: { id: string }) {
  const s = useBench()
  const coming = id && !s.run && !s.live && !s.missing && !s.problem && s.prompt === ''
  const [lit, light] = useState<readonly string[]>([])
  const narrow = useMedia('(max-width: 1179px)')
  const l = line(s)
  const parsed = s.reading?.parsed
  const length = points(s.prompt)
  return (
    <aside class="left" aria-label="Strategy">
      <div class="stick">
        <div class="row">
          <label class="lab" for="sentence">
            Strategy, in plain English
          </label>
          {parsed && <span class="lab">read by the rules</span>}
        </div>
        <div class={'ed' + (l?.tone === 'bad' ? ' bad' : '')}>
          <Sentence s={s} lit={lit} />
          <div class={coming ? 'foot hide' : 'foot'}>
            <span id="reading" role="status">
              {l && (
                <>
                  <b class={l.tone}>{l.head}</b> {l.tone === 'bad' ? '' : l.text}
                </>
              )}
            </span>
            <span class={'num' + (length > MOST ? ' loss' : '')}>
              {count(length)} of {count(MOST)}
            </span>
          </div>
        </div>
        {(l?.tone === 'bad' || l?.tone === 'near') &&
          (length > MOST ? (
            <div class="refusal" role="alert">
              <p>{l.text}</p>
            </div>
          ) : (
            <Refusal refused={s.reading!.refused!} text={s.reading!.text} />
          ))}
        {s.prompt.trim() === '' && s.tries?.length === 0 && !s.problem && <Examples />}
        {parsed && (
          <Fields
            parsed={parsed}
            old={s.reading!.text !== s.prompt}
            folded={narrow && (s.live !== undefined || s.run?.prompt === s.prompt)}
            light={light}
          />
        )}
        {!coming && (
          <>
            <Options s={s} />
            <div class="runs">
              <RunButton s={s} />
            </div>
            <Tries s={s} />
          </>
        )}
      </div>
    </aside>
  )
}
