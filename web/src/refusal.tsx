// What is said of a sentence that was not read: why, and what it may be meant to be.
// Nothing of that runs before somebody has said yes: a press writes it into the sentence.
import type { Offer, Refused } from './api'
import { write } from './bench'
import { rows } from './strategy'
import { within } from './marks'
import { diff, quoted } from './text'

/** twofold lists the fields in which readings differ: "entry.0.comparator". */
export function twofold(choices: readonly Offer[]): string[] {
  const out = new Set<string>()
  const compare = (a: unknown, b: unknown, path: string): void => {
    if (JSON.stringify(a) === JSON.stringify(b)) return
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
      out.add(path)
      return
    }
    for (const k of new Set([...Object.keys(a), ...Object.keys(b)]))
      compare(a[k as never], b[k as never], path ? `${path}.${k}` : k)
  }
  for (const c of choices.slice(1)) compare(choices[0]!.strategy, c.strategy, '')
  return [...out]
}

/** Changed is a text with the words that another one does not share. */
function Changed({ from, to, gone }: { from: string; to: string; gone: boolean }) {
  return (
    <>
      {diff(from, to)
        .filter((w) => gone || w.op !== '-')
        .map((w, i) => (
          <span key={i}>
            {w.op === ' ' ? w.text : w.op === '-' ? <del>{w.text}</del> : <ins>{w.text}</ins>}{' '}
          </span>
        ))}
    </>
  )
}

/** Choices are two readings or more, each a press. */
function Choices({ list }: { list: Offer[] }) {
  return (
    <div class="suggest">
      <p>This can be read in {list.length === 2 ? 'two' : 'several'} ways. What is meant?</p>
      {list.map((c, i) => (
        <button key={c.summary} onClick={() => write(c.summary)}>
          <Changed from={list[i === 0 ? 1 : 0]!.summary} to={c.summary} gone={false} />
        </button>
      ))}
    </div>
  )
}

/** omits reports whether an offer is the sentence without some words; where the language model
 * has read what nobody else did, or it is what is likely meant, it says all of the sentence. */
export const omits = (offer: Offer): boolean =>
  (offer.left_out ?? []).length > 0 && !offer.read_by_model_alone?.length && !offer.likely?.length

/** Confirm is what a sentence says but for words that are left out, or that the rules do not
 * understand. */
function Confirm({ offer, suggestion }: { offer: Offer; suggestion: string }) {
  const left = offer.left_out ?? []
  const without = omits(offer)
  const likely = offer.likely ?? []
  const alone = offer.read_by_model_alone ?? likely
  const names = rows(offer.summary)
    .filter((r) => alone.some((field) => within(field, r.paths)))
    .map((r) => `${r.name} (${r.value})`)
  return (
    <div class="suggest">
      <p>
        {left.length > 0 ? (
          <>
            {without ? 'Without' : 'The rules do not understand'}{' '}
            {left.map((w, i) => (
              <>
                {i > 0 && ', '}
                {without ? <del>{quoted(w.text)}</del> : quoted(w.text)}
              </>
            ))}
            {without
              ? ' it says:'
              : likely.length > 0
                ? '. Most likely this is meant:'
                : '. The language model reads:'}
          </>
        ) : (
          'It seems to say:'
        )}
      </p>
      <p class="said">{offer.summary}</p>
      {names.length > 0 && (
        <p class="q">
          {likely.length > 0
            ? `Told by the words around it alone: ${names.join(', ')}.`
            : `The language model alone has read ${names.join(', ')}.`}
        </p>
      )}
      <button onClick={() => write(suggestion)}>
        {without ? 'Leave it out' : 'That is meant'}
      </button>
    </div>
  )
}

export function Refusal({ refused, text }: { refused: Refused; text: string }) {
  const { suggestion, confirm, choices } = refused.offers
  if (choices)
    return (
      <div class="refusal near" role="status">
        <Choices list={choices} />
      </div>
    )
  if (confirm)
    return (
      <div class="refusal near" role="status">
        <Confirm offer={confirm} suggestion={suggestion ?? confirm.summary} />
      </div>
    )
  return (
    <div class="refusal" role="alert">
      {refused.at.length > 0 ? (
        <ul>
          {refused.at.map((a, i) => (
            <li key={i}>{a.message}</li>
          ))}
        </ul>
      ) : (
        <p>{refused.message}</p>
      )}
      {suggestion && (
        <div class="suggest">
          <p>
            <Changed from={text} to={suggestion} gone />
          </p>
          <button onClick={() => write(suggestion)}>Use this</button>
        </div>
      )}
    </div>
  )
}
