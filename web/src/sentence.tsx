// The sentence: a field with its words underlined as they are read.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { now, set, write, type State } from './bench'
import { kindOf, moved, pieces, Places, within, type Mark } from './marks'
import { omits, twofold } from './refusal'
import { count, counted, sentence } from './text'

export const MOST = 2000 // code points of a sentence
export const points = (s: string) => [...s].length

/** Verdict of the reading: what the line under the sentence says. */
export interface Line {
  tone: 'ok' | 'soft' | 'near' | 'bad'
  head: string
  text: string
}

/** touches tells whether the caret stands in or at the end of a phrase. */
function touches(s: State, start: number, end: number): boolean {
  if (s.caret < 0) return false
  const places = new Places(s.prompt)
  return s.caret >= places.utf16(start) && s.caret <= places.utf16(end)
}

/** unfinished tells whether a refusal is only about what is being typed, or about an older text, whose answer says nothing about the one that stands there. */
function unfinished(s: State): boolean {
  const r = s.reading?.refused
  if (!r) return false
  if (s.reading!.text !== s.prompt) return true
  if (s.caret < 0 || r.offers.choices) return false
  return r.at.length === 0
    ? s.caret === s.prompt.trimEnd().length || s.caret === s.prompt.length
    : r.at.some((a) => touches(s, a.start, a.end))
}

export function line(s: State): Line | undefined {
  const long = points(s.prompt) - MOST
  if (long > 0)
    return {
      tone: 'bad',
      head: 'Too long.',
      text: `${count(MOST + long)} of ${count(MOST)} characters: shorten it by ${count(long)}.`,
    }
  const r = s.reading
  if (!r) return undefined
  if (r.refused) {
    if (r.refused.status !== 400 && r.refused.status !== 422)
      return { tone: 'soft', head: 'Not read.', text: sentence(r.refused.message) }
    if (unfinished(s))
      return {
        tone: 'soft',
        head: 'Not finished.',
        text: r.refused.at.length > 0 ? '' : r.refused.message,
      }
    const { confirm, choices } = r.refused.offers
    if (choices) return { tone: 'near', head: 'Two readings.', text: '' }
    if (confirm) return { tone: 'near', head: 'Nearly read.', text: '' }
    return { tone: 'bad', head: 'Not read.', text: r.refused.message }
  }
  const small = r.parsed!.parse.ignored.reduce(
    (n, w) => n + w.text.split(/\s+/).filter(Boolean).length,
    0,
  )
  return {
    tone: 'ok',
    head: 'Read whole.',
    text: small ? `${counted(small, 'word')} set nothing` : '',
  }
}

/** marksOf are the places to underline, of the text as it now stands. */
export function marksOf(s: State): Mark[] {
  const r = s.reading
  if (!r) return []
  const out: Mark[] = []
  if (r.refused) {
    const soft = unfinished(s)
    const { confirm, choices } = r.refused.offers
    const left = confirm && !soft ? (confirm.left_out ?? []) : []
    const kind = confirm && omits(confirm) ? 'omit' : 'open'
    for (const a of left) out.push({ ...a, kind, field: '' })
    for (const a of r.refused.at)
      if (!left.some((l) => l.start <= a.start && a.end <= l.end))
        out.push({ start: a.start, end: a.end, kind: soft ? 'open' : 'bad', field: '' })
    const two = choices ? twofold(choices) : []
    for (const w of r.refused.spans)
      out.push({
        start: w.start,
        end: w.end,
        kind: within(w.field, two) ? 'twice' : kindOf(w.field),
        field: w.field,
      })
  } else
    for (const w of r.parsed!.parse.spans)
      out.push({ start: w.start, end: w.end, kind: kindOf(w.field), field: w.field })
  return moved(out, r.text, s.prompt)
}

export function Sentence({ s, lit }: { s: State; lit: readonly string[] }) {
  const area = useRef<HTMLTextAreaElement>(null)
  const under = useRef<HTMLDivElement>(null)
  const quiet =
    s.reading?.parsed && s.reading.text === s.prompt ? s.reading.parsed.parse.ignored : []
  const place = () => {
    const a = area.current
    if (a && document.activeElement === a && a.selectionEnd !== now().caret)
      set({ caret: a.selectionEnd })
  }
  useLayoutEffect(() => {
    const a = area.current
    if (!a || a.value === s.prompt) return
    a.value = s.prompt
    // A sentence that comes while somebody is in the field gives way to what is typed next.
    if (document.activeElement === a) a.select()
  }, [s.prompt])
  useLayoutEffect(() => {
    document.addEventListener('selectionchange', place)
    return () => document.removeEventListener('selectionchange', place)
  }, [])
  return (
    <div class="text">
      <div class="under" aria-hidden="true" ref={under}>
        {pieces(s.prompt, marksOf(s), quiet).map((p, i) =>
          p.kind ? (
            <mark key={i} class={p.kind + (p.field && within(p.field, lit) ? ' lit' : '')}>
              {p.text}
            </mark>
          ) : (
            <span key={i}>{p.text}</span>
          ),
        )}
        {s.prompt.endsWith('\n') && '\u200b' /* so that the last line is one */}
      </div>
      <textarea
        id="sentence"
        ref={area}
        rows={1}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        dir="auto"
        aria-label="Strategy, in plain English"
        aria-describedby="reading"
        aria-keyshortcuts="/"
        placeholder="Buy Up on BTC 15m when …"
        onInput={(e) => write(e.currentTarget.value, e.currentTarget.selectionEnd)}
        onBlur={() => set({ caret: -1 })}
        onFocus={place}
      />
    </div>
  )
}
