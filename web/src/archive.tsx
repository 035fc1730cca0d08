// What the archive has: by category, and by the day on which markets start.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { call, Refused, type Archive as Holdings } from './api'
import { clock, count, counted, day, rate, sentence } from './text'
import { Problem } from './workbench'

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
function years(days: Day[]): Year[] {
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
function Calendar({ name, year, days, first, last }: Year & { name: string }) {
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

function Held({ c }: { c: Category }) {
  const name = sentence(c.category)
  const parts = useMemo(() => years(c.days), [c])
  const share = (n: number) => (c.markets ? rate(n / c.markets) + ' of the markets' : '')
  return (
    <section id={c.category}>
      <h2>
        {name}{' '}
        <small>
          {c.first_day === c.last_day ? c.first_day : `${c.first_day} to ${c.last_day}`}
          {c.simulated && ', simulated'}
        </small>
      </h2>
      <dl class="nums">
        <div>
          <dt title="markets that start on one of these days">markets</dt>
          <dd>
            {count(c.markets)}
            <small>{counted(c.days.length, 'day')}</small>
          </dd>
        </div>
        <div>
          <dt title="with an official payout">resolved</dt>
          <dd>
            {count(c.resolved)}
            <small>{share(c.resolved)}</small>
          </dd>
        </div>
        <div>
          <dt title="with a capture in the market's time">captured</dt>
          <dd>
            {count(c.captured)}
            <small>{share(c.captured)}</small>
          </dd>
        </div>
        <div>
          <dt title="captures of these markets">captures</dt>
          <dd>
            {count(c.captures)}
            <small>
              {c.captured
                ? `${count(Math.round(c.captures / c.captured))} a market captured`
                : 'none'}
            </small>
          </dd>
        </div>
        <div>
          <dt title="the time of the newest capture">watermark</dt>
          <dd>
            {c.watermark ? (
              <>
                {day(c.watermark)}
                <small>{clock(c.watermark).slice(11)} UTC</small>
              </>
            ) : (
              '–'
            )}
          </dd>
        </div>
      </dl>
      {parts.map((y) => (
        <Calendar key={y.year} name={name} {...y} />
      ))}
      <details class="astable">
        <summary>The days as a table</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={`${name}: the days as a table`}>
          <table>
            <thead>
              <tr>
                <th>day, UTC</th>
                <th class="n">coverage</th>
                <th class="n">markets</th>
                <th class="n">resolved</th>
                <th class="n wide">captured</th>
                <th class="n">captures</th>
              </tr>
            </thead>
            <tbody>
              {c.days.map((d) => (
                <tr key={d.day}>
                  <td>{d.day}</td>
                  <td class="n">{d.captured ? rate(d.coverage) : '–'}</td>
                  <td class="n">{count(d.markets)}</td>
                  <td class="n">{count(d.resolved)}</td>
                  <td class="n wide">{count(d.captured)}</td>
                  <td class="n">{count(d.captures)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  )
}

export function Archive() {
  const [got, put] = useState<Holdings>()
  const [problem, fail] = useState<Refused>()
  useEffect(() => {
    document.title = 'Archive · Ladderback'
    let live = true
    call<Holdings>('/archive')
      .then((a) => live && put(a))
      .catch((err: unknown) => live && err instanceof Refused && fail(err))
    return () => {
      live = false
    }
  }, [])
  return (
    <main id="result" class="page" tabIndex={-1} aria-busy={!got && !problem}>
      <h1>Archive</h1>
      {problem && <Problem problem={problem} until={0} />}
      {got && got.data.length === 0 && <p class="q pad">The archive has no markets.</p>}
      {got && got.data.length > 0 && (
        <>
          <p class="lead">What is recorded, by the day on which markets start, UTC.</p>
          <p class="key pad" aria-hidden="true">
            <span>
              coverage 0%{' '}
              <span class="cal one">
                {[0, 0.25, 0.5, 0.75, 1].map((x) => (
                  <span key={x} class="cap" style={{ '--a': `${15 + 85 * x}%` }} />
                ))}
              </span>{' '}
              100%
            </span>
            <span>
              <span class="cal one">
                <span class="none" />
              </span>{' '}
              nothing captured
            </span>
            <span>
              <span class="cal one">
                <span />
              </span>{' '}
              no markets
            </span>
          </p>
          <p class="q small">
            Coverage is the share of a market that lies within 30 s behind a capture; a day has the
            mean of its captured markets.
          </p>
          {got.data.map((c) => (
            <Held key={c.category} c={c} />
          ))}
        </>
      )}
    </main>
  )
}

/** simulatedIn names the categories with simulated data; all tells whether there are no others. */
export async function simulatedIn(): Promise<{ names: string[]; all: boolean }> {
  const { data } = await call<Holdings>('/archive')
  const names = data.filter((c) => c.simulated).map((c) => c.category)
  return { names, all: names.length === data.length }
}
