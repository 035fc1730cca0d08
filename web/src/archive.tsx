// What the archive has: by category, and by the day on which markets start.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { call, Refused, type Archive as Holdings } from './api'
import { Calendar, years } from './calendar'
import { clock, count, counted, day, rate, sentence } from './text'
import { Problem } from './problem'
import { FEW, Rounds } from './rounds'

type Category = Holdings['data'][number]

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
      {c.days.length <= FEW && c.category === 'crypto' && <Rounds category={c.category} />}
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
