// The places of words in a sentence, and how they are underlined.

/** The places of code points in a text, whose characters JavaScript counts in UTF-16. */
export class Places {
  private readonly at: number[] = []
  constructor(readonly text: string) {
    let i = 0
    for (const c of text) {
      this.at.push(i)
      i += c.length
    }
    this.at.push(i)
  }
  get length() {
    return this.at.length - 1
  }
  /** index in UTF-16 of a code point. */
  utf16(point: number): number {
    return this.at[Math.max(0, Math.min(point, this.length))]!
  }
}

export interface Piece {
  text: string
  kind: string
  field: string
}

export interface Mark {
  start: number
  end: number
  kind: string
  field: string
}

/** kindOf tells which of the four kinds of words sets a field. */
export function kindOf(field: string): string {
  if (field === 'side' || field.startsWith('market')) return 'what'
  if (/^(entry|order)/.test(field)) return 'when'
  if (/^(exit|then|again|merge)/.test(field)) return 'out'
  return 'money'
}

/** within tells whether a field is one of those at paths, or a part of one, or has one of them as a part. */
export const within = (field: string, paths: readonly string[]) =>
  paths.some((p) => field === p || field.startsWith(p + '.') || p.startsWith(field + '.'))

/**
 * pieces cuts a text at its marks, which count code points; marks of one field with
 * nothing but spaces and words that set nothing between them become one.
 */
export function pieces(
  text: string,
  marks: readonly Mark[],
  quiet: readonly { start: number; end: number }[] = [],
): Piece[] {
  const places = new Places(text)
  const silent = new Set<number>()
  for (const q of quiet) for (let i = q.start; i < q.end; i++) silent.add(i)
  const points = [...text]
  const joined: Mark[] = []
  for (const m of [...marks].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last && m.start < last.end) continue
    if (last && last.field === m.field && last.kind === m.kind) {
      let between = true
      for (let i = last.end; i < m.start; i++)
        between &&= silent.has(i) || /\s/.test(points[i] ?? '')
      if (between) {
        last.end = m.end
        continue
      }
    }
    joined.push({ ...m })
  }
  const out: Piece[] = []
  let from = 0
  for (const m of joined) {
    const start = places.utf16(m.start)
    const end = places.utf16(m.end)
    if (start > from) out.push({ text: text.slice(from, start), kind: '', field: '' })
    if (end > start) out.push({ text: text.slice(start, end), kind: m.kind, field: m.field })
    from = Math.max(from, end)
  }
  if (from < text.length) out.push({ text: text.slice(from), kind: '', field: '' })
  return out
}

/** moved carries marks of an older text over to a newer one: those that the change did not touch. */
export function moved(marks: readonly Mark[], before: string, now: string): Mark[] {
  if (before === now) return [...marks]
  const a = [...before]
  const b = [...now]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++
  const by = b.length - a.length
  const out: Mark[] = []
  for (const m of marks) {
    if (m.end <= head) out.push(m)
    else if (m.start >= a.length - tail) out.push({ ...m, start: m.start + by, end: m.end + by })
  }
  return out
}
