// Words and numbers as the report in the terminal writes them (report/words,
// backtest/figures), and the places of words in a sentence.

const MINUS = '−'
export const NONE = '–'

/** fixed writes x with so many decimals, 0 to 6, rounded half even on its millionths. */
export function fixed(x: number, decimals: number): string {
  const unit = 10 ** (6 - decimals)
  const micro = Math.round(Math.abs(x) * 1e6)
  let units = Math.floor(micro / unit)
  const rest = micro - units * unit
  if (rest * 2 > unit || (rest * 2 === unit && units % 2 === 1)) units++
  const text = String(units).padStart(decimals + 1, '0')
  const whole = decimals === 0 ? text : text.slice(0, -decimals) + '.' + text.slice(-decimals)
  return (x < 0 && units > 0 ? MINUS : '') + whole
}

/** thousands puts commas into the whole part. */
export function thousands(text: string): string {
  const [whole = '', frac] = text.split('.')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (frac === undefined ? '' : '.' + frac)
}

/** typeset writes a sentence of the server with the quotation marks that the page has. */
export const typeset = (text: string) => text.replace(/"([^"]*)"/g, '“$1”')

export const count = (n: number) => thousands(String(n))

/** counted writes "1 trade", "2 trades", "3 entries", "4 days". */
export function counted(n: number, noun: string): string {
  if (n === 1) return '1 ' + noun
  return count(n) + ' ' + (/[^aeiou]y$/.test(noun) ? noun.slice(0, -1) + 'ies' : noun + 's')
}

const or = (x: number | null | undefined, f: (x: number) => string) =>
  x === null || x === undefined ? NONE : f(x)

/** dollars writes an amount that cannot be negative. */
export const dollars = (x: number | null | undefined) => or(x, (v) => '$' + thousands(fixed(v, 2)))
/** usd writes an amount with its sign. */
export const usd = (x: number | null | undefined) =>
  or(x, (v) => (v > 0 ? '+' : v < 0 ? MINUS : '') + '$' + thousands(fixed(Math.abs(v), 2)))
export const signed = (x: number, decimals = 2) =>
  (x > 0 ? '+' : '') + thousands(fixed(x, decimals))
export const rate = (x: number | null | undefined) => or(x, (v) => fixed(v * 100, 1) + '%')
export const signedRate = (x: number | null | undefined) =>
  or(x, (v) => (v > 0 ? '+' : '') + fixed(v * 100, 1) + '%')
/** points writes the difference of two shares in percentage points. */
export const points = (x: number | null | undefined) =>
  or(x, (v) => (v > 0 ? '+' : '') + fixed(v * 100, 1) + ' pp')
export const price = (x: number | null | undefined) => or(x, (v) => fixed(v, 4))
export const signedPrice = (x: number | null | undefined) =>
  or(x, (v) => (v > 0 ? '+' : '') + fixed(v, 4))
export const shares = (x: number) => thousands(fixed(x, 2))
export const interval = (i: readonly number[] | null | undefined, f: (x: number) => string) =>
  i ? `${f(i[0]!)} to ${f(i[1]!)}` : 'too few trades'

/** span writes a length of time in seconds: "45s", "6m12s", "1h00m". */
export function span(seconds: number): string {
  const s = Math.floor(seconds)
  const two = (n: number) => String(n).padStart(2, '0')
  if (s < 60) return s + 's'
  if (s < 3600) return `${Math.floor(s / 60)}m${two(s % 60)}s`
  return `${Math.floor(s / 3600)}h${two(Math.floor(s / 60) % 60)}m`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** minute writes an instant to the minute, in UTC: "Apr 03 13:00". */
export function minute(at: string | number): string {
  const d = new Date(at)
  return `${MONTHS[d.getUTCMonth()]} ${d.toISOString().slice(8, 10)} ${d.toISOString().slice(11, 16)}`
}
export const day = (at: string | number) => new Date(at).toISOString().slice(0, 10)
export const clock = (at: string | number) =>
  new Date(at).toISOString().slice(0, 19).replace('T', ' ')
export const dates = (a: string, b: string) =>
  day(a) === day(b) ? day(a) : `${day(a)} to ${day(b)}`
/** fine writes the time of day of an RFC 3339 instant with all its decimals. */
export const fine = (at: string, decimals = 6) => {
  const [whole = '', frac = ''] = at.slice(11, -1).split('.')
  return decimals === 0 ? whole : `${whole}.${(frac + '000000').slice(0, decimals)}`
}
/** seconds since the epoch of an RFC 3339 instant, with its microseconds. */
export function instant(at: string): number {
  const frac = /\.(\d+)Z$/.exec(at)
  return Date.parse(at.replace(/\.\d+Z$/, 'Z')) / 1000 + (frac ? Number('0.' + frac[1]) : 0)
}

/** start of the round that a slug names, in milliseconds, or of the time given. */
export function roundStart(slug: string, otherwise: string): number {
  const m = /-(\d{9,10})$/.exec(slug)
  return m ? Number(m[1]) * 1000 : Date.parse(otherwise)
}

export const verdictName = (v: string) => sentence(v.replaceAll('_', ' '))
export const exitWords = (reason: string) => reason.replaceAll('_', ' ')
/** quoted puts a phrase of somebody between curly quotes. */
export const quoted = (s: string) => `“${s.trim()}”`
export const sentence = (s: string) => s.charAt(0).toUpperCase() + s.slice(1)

/** diff compares two texts word by word: ' ' shared, '-' only in the first, '+' only in the second. */
export function diff(a: string, b: string): { op: ' ' | '-' | '+'; text: string }[] {
  const x = a.split(/\s+/).filter(Boolean)
  const y = b.split(/\s+/).filter(Boolean)
  const common = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1))
  for (let i = x.length - 1; i >= 0; i--)
    for (let j = y.length - 1; j >= 0; j--)
      common[i]![j] =
        x[i] === y[j]
          ? common[i + 1]![j + 1]! + 1
          : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const out: { op: ' ' | '-' | '+'; text: string }[] = []
  const add = (op: ' ' | '-' | '+', word: string) => {
    const last = out.at(-1)
    if (last?.op === op) last.text += ' ' + word
    else out.push({ op, text: word })
  }
  let i = 0
  let j = 0
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      add(' ', x[i++]!)
      j++
    } else if (j >= y.length || (i < x.length && common[i + 1]![j]! >= common[i]![j + 1]!))
      add('-', x[i++]!)
    else add('+', y[j++]!)
  }
  return out
}

/** ago says how long ago an instant was; a date where that is over a month. */
export function ago(at: string, now = Date.now()): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000)
  if (minutes < 2) return 'just now'
  if (minutes < 120) return minutes + ' minutes ago'
  if (minutes < 48 * 60) return Math.floor(minutes / 60) + ' hours ago'
  if (minutes < 31 * 24 * 60) return Math.floor(minutes / 60 / 24) + ' days ago'
  return day(at)
}
