// The days of an archive as a calendar.
import { useState } from 'preact/hooks'
import type { Archive as Holdings } from './api'
import { count, counted, day, rate } from './text'

type Category = Holdings['data'][number]
type Day = Category['days'][number]

const DAY = 86_400_000

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** told says in words what a cell of the calendar shows. */
function told(at: string, d: Day | undefined): string {
  if (!d) return at + ': no markets'
  const cover = d.captured ? `coverage ${rate(d.coverage)}` : 'nothing captured'
  return `${at}: ${cover}; ${counted(d.markets, 'market')}, ${count(d.resolved)} resolved, ${count(d.captured)} captured, ${counted(d.captures, 'capture')}`
}

interface Year {
  year: string
  first: number
  last: number
  days: Map<string, Day>
}

/** years cuts the days by year; each runs from its 1 January to its 31 December, the first and last of all from and to where the archive does. */
export function years(days: Day[]): Year[] {
  const out: Year[] = []
  for (const d of days) {
    const year = d.day.slice(0, 4)
    if (out.at(-1)?.year !== year) {
      out.push({
        year,
        days: new Map(),
        first: Math.max(Date.parse(year + '-01-01'), Date.parse(days[0]!.day)),
        last: Math.min(Date.parse(year + '-12-31'), Date.parse(days.at(-1)!.day)),
      })
    }
    out.at(-1)!.days.set(d.day, d)
  }
  return out
}

/** Calendar has a column a week from Monday, and a cell for each day of a year that lies between the first and the last of the archive. */
export function Calendar({ name, year, days, first, last }: Year & { name: string }) {
  const [said, say] = useState('')
  const weekday = (at: number) => (new Date(at).getUTCDay() + 6) % 7
  const monday = first - weekday(first) * DAY
  const column = (at: number) => Math.floor((at - monday) / (7 * DAY)) + 2
  const list: number[] = []
  for (let at = first; at <= last; at += DAY) list.push(at)
  // A month is named over its first Monday, and over the first column where there is
  // room before the next name.
  const named = list
    .filter((at, i) => {
      const d = new Date(at)
      if (i === 0)
        return (
          d.getUTCDate() <= 14 ||
          !list.some(
            (x) =>
              x > at && column(x) < column(at) + 2 && new Date(x).getUTCMonth() !== d.getUTCMonth(),
          )
        )
      return weekday(at) === 0 && d.getUTCDate() <= 7
    })
    .filter((at, i, l) => i === 0 || column(at) - column(l[i - 1]!) > 1)
  return (
    <>
      <div class="wrapx" tabIndex={0} role="region" aria-label={`${name}: calendar of ${year}`}>
        <div
          class="cal"
          role="list"
          aria-label={`${name}: coverage by day, ${year}`}
          onPointerLeave={() => say('')}
        >
          <b aria-hidden="true" style={{ gridArea: '1/1' }}>
            {year}
          </b>
          {named.map((at) => (
            <span key={at} aria-hidden="true" class="lab" style={{ gridArea: `1/${column(at)}` }}>
              {months[new Date(at).getUTCMonth()]}
            </span>
          ))}
          {weekdays.map((w, i) =>
            i % 2 === 0 ? (
              <span key={w} aria-hidden="true" class="lab" style={{ gridArea: `${i + 2}/1` }}>
                {w}
              </span>
            ) : null,
          )}
          {list.map((at) => {
            const d = days.get(day(at))
            const text = told(day(at), d)
            return (
              <span
                key={at}
                role="listitem"
                title={text}
                class={d ? (d.captured ? 'cap' : 'none') : ''}
                onPointerEnter={() => say(text)}
                style={{
                  gridArea: `${weekday(at) + 2}/${column(at)}`,
                  '--a': d?.captured ? `${15 + 85 * d.coverage}%` : '0%',
                }}
              >
                <span class="sr">{text}</span>
              </span>
            )
          })}
        </div>
      </div>
      <p class="told num" aria-hidden="true">
        {said}
      </p>
    </>
  )
}
