// Two runs beside each other: which is better, as a picture and in words; then what
// differs, and in which trades.
import { useLayoutEffect, useState } from 'preact/hooks'
import { call, Refused, runsPath, type Comparison, type RunWithResult, type Trade } from './api'
import { Difference, Curves } from './versus'
import { Problem } from './problem'
import { prose } from './prose'
import { choiceOf, optionNames, rows } from './strategy'
import {
  count,
  counted,
  diff,
  exitWords,
  interval,
  minute,
  NONE,
  price,
  rate,
  roundStart,
  usd,
} from './text'

interface Got {
  c: Comparison
  a: RunWithResult
  b: RunWithResult
}

/** differing lists the fields of two strategies and their options that are not the same, in words. */
function differing(a: RunWithResult, b: RunWithResult): [string, string, string][] {
  const named = (r: RunWithResult) => {
    const fields = new Map<string, string>()
    for (const { name, value } of rows(r.summary))
      fields.set(name, fields.has(name) ? `${fields.get(name)}, ${value}` : value)
    for (const [name, value] of optionNames(choiceOf(r.options))) fields.set(name, value)
    return fields
  }
  const [x, y] = [named(a), named(b)]
  return [...new Set([...x.keys(), ...y.keys()])]
    .map((k): [string, string, string] => [k, x.get(k) ?? NONE, y.get(k) ?? NONE])
    .filter(([, p, q]) => p !== q)
}

/** told says in what a trade differs; what follows from it is left out. */
function told(fields: Comparison['changed'][number]['fields']): string {
  const word = (field: string, json: string) => {
    const v = json.replace(/^"|"$/g, '')
    return field === 'exit_reason'
      ? exitWords(v)
      : Number.isFinite(Number(v))
        ? price(Number(v))
        : v
  }
  return fields
    .filter((f) => ['entry_price', 'exit_price', 'exit_reason'].includes(f.field))
    .map((f) => `${exitWords(f.field)} ${word(f.field, f.a)} → ${word(f.field, f.b)}`)
    .join(', ')
}

/** Side is one of the two sentences, with what it does not share with the other. */
function Side({
  run,
  name,
  other,
  op,
}: {
  run: RunWithResult
  name: string
  other: string
  op: '-' | '+'
}) {
  const words = op === '-' ? diff(run.prompt, other) : diff(other, run.prompt)
  return (
    <div>
      <h2>
        {name}{' '}
        <small>
          <a href={'/runs/' + run.id}>run of {minute(run.created_at)} UTC</a>
        </small>
      </h2>
      <p class="said">
        {words
          .filter((w) => w.op === ' ' || w.op === op)
          .map((w, i) =>
            w.op === ' ' ? (
              w.text + ' '
            ) : (
              <span key={i}>{op === '-' ? <del>{w.text}</del> : <ins>{w.text}</ins>} </span>
            ),
          )}
      </p>
    </div>
  )
}

function Numbers({ c, a, b }: Got) {
  const of = (r: RunWithResult, name: string) => {
    const s = r.result!.report.stats
    if (name === 'mean_pnl') return interval(s.mean_pnl_interval, usd)
    return name === 'win_rate' ? interval(s.win_rate_interval, rate) : ''
  }
  return (
    <section>
      <h2>Numbers</h2>
      <div class="wrapx" tabIndex={0} role="region" aria-label="Numbers">
        <table class="numbers">
          <thead>
            <tr>
              <th>number</th>
              <th class="n">A</th>
              <th class="n wide">95% interval</th>
              <th class="n">B</th>
              <th class="n wide">95% interval</th>
              <th class="n">B − A</th>
            </tr>
          </thead>
          <tbody>
            {c.words.numbers.map(([name, x, y, d], i) => (
              <tr key={name}>
                <td>{name}</td>
                <td class="n">{x}</td>
                <td class="n wide q">{of(a, c.numbers[i]!.name)}</td>
                <td class="n">{y}</td>
                <td class="n wide q">{of(b, c.numbers[i]!.name)}</td>
                <td class="n">{d}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Differing({ c, a, b }: Got) {
  const place = (r: RunWithResult) => {
    const at = new Map<string, number>()
    r.result!.report.trades.forEach((t: Trade, i) => at.set(t.market_id, i + 1))
    return at
  }
  const [inA, inB] = [place(a), place(b)]
  const round = (id: string, slug: string, r: RunWithResult, at: Map<string, number>) =>
    minute(roundStart(slug, r.result!.report.trades[(at.get(id) ?? 1) - 1]?.entry_time ?? ''))
  const link = (
    r: RunWithResult,
    at: Map<string, number>,
    id: string,
    name: string,
    pnl: number,
  ) => (
    <td class="n">
      <a href={`/runs/${r.id}#trade=${at.get(id)}`} aria-label={`Trade in ${name}: ${usd(pnl)}`}>
        {usd(pnl)}
      </a>
    </td>
  )
  return (
    <section>
      <h2>
        Trades{' '}
        <small>
          {count(c.equal)} equal, {count(c.changed.length)} changed, {count(c.only_a.length)} only
          in A, {count(c.only_b.length)} only in B
        </small>
      </h2>
      {c.exits.length > 0 && (
        <p class="q small">
          {prose(
            c.exits
              .map(
                (e) =>
                  `${exitWords(e.a)} → ${exitWords(e.b)}: ${counted(e.trades, 'trade')}, ${usd(e.pnl_change)}`,
              )
              .join(' · '),
          )}
        </p>
      )}
      {c.changed.length + c.only_a.length + c.only_b.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Trades that differ">
          <table>
            <thead>
              <tr>
                <th>round, UTC</th>
                <th>what differs</th>
                <th class="n">pnl A</th>
                <th class="n">pnl B</th>
                <th class="n">B − A</th>
              </tr>
            </thead>
            <tbody>
              {c.changed.map((t) => (
                <tr key={t.market_id}>
                  <td>{round(t.market_id, t.market_slug, a, inA)}</td>
                  <td class="words q">{told(t.fields)}</td>
                  {link(a, inA, t.market_id, 'A', t.pnl_a)}
                  {link(b, inB, t.market_id, 'B', t.pnl_b)}
                  <td class={'n ' + (t.pnl_change < 0 ? 'loss' : 'gain')}>{usd(t.pnl_change)}</td>
                </tr>
              ))}
              {c.only_a.map((t) => (
                <tr key={t.market_id + 'a'}>
                  <td>{round(t.market_id, t.market_slug, a, inA)}</td>
                  <td class="q">only in A</td>
                  {link(a, inA, t.market_id, 'A', t.pnl)}
                  <td class="n">–</td>
                  <td class="n">{usd(-t.pnl)}</td>
                </tr>
              ))}
              {c.only_b.map((t) => (
                <tr key={t.market_id + 'b'}>
                  <td>{round(t.market_id, t.market_slug, b, inB)}</td>
                  <td class="q">only in B</td>
                  <td class="n">–</td>
                  {link(b, inB, t.market_id, 'B', t.pnl)}
                  <td class="n">{usd(t.pnl)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

export function Compare({ a, b }: { a: string; b: string }) {
  const [got, put] = useState<Got>()
  const [problem, fail] = useState<Refused>()
  useLayoutEffect(() => {
    document.title = 'Compare · Ladderback'
    put(undefined)
    fail(undefined)
    let live = true
    Promise.all([
      call<Comparison>(`${runsPath}/${a}/compare/${b}`),
      call<RunWithResult>(`${runsPath}/${a}`),
      call<RunWithResult>(`${runsPath}/${b}`),
    ])
      .then(([c, ra, rb]) => live && put({ c, a: ra, b: rb }))
      .catch((err: unknown) => live && err instanceof Refused && fail(err))
    return () => {
      live = false
    }
  }, [a, b])
  if (problem)
    return (
      <main id="result" class="page">
        <Problem problem={problem} until={0} />
      </main>
    )
  if (!got) return <main id="result" class="page" aria-busy="true" />
  const { c } = got
  const fields = differing(got.a, got.b)
  return (
    <main id="result" class="page" tabIndex={-1}>
      <div class="verdict">
        <div>
          <h1>{c.words.answer}</h1>
          <p>{prose(c.words.why)}</p>
        </div>
        <Difference paired={c.paired} />
      </div>
      <section>
        <h2>
          Equity <small>USD by the time of exit, UTC, on one scale</small>
        </h2>
        <Curves a={got.a.result!.report} b={got.b.result!.report} />
      </section>
      <section class="two even">
        <Side run={got.a} name="A" other={got.b.prompt} op="-" />
        <Side run={got.b} name="B" other={got.a.prompt} op="+" />
      </section>
      {fields.length > 0 && (
        <section>
          <h2>What differs</h2>
          <table class="stack">
            <thead>
              <tr>
                <th>field</th>
                <th>A</th>
                <th>B</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(([name, x, y]) => (
                <tr key={name}>
                  <td class="q">{name}</td>
                  <td class="words" data-of="A">
                    {x}
                  </td>
                  <td class="words" data-of="B">
                    {y}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Numbers {...got} />
      <Differing {...got} />
    </main>
  )
}
