// All runs, to search, filter and mark; two marked ones are compared.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  call,
  Refused,
  runsPath,
  type Comparison,
  type Page,
  type Run,
  type RunWithResult,
} from './api'
import { prose } from './prose'
import { go } from './router'
import { save, verdictName } from './run'
import {
  count,
  counted,
  diff,
  dollars,
  exitWords,
  interval,
  minute,
  points,
  rate,
  signedPrice,
  signedRate,
  signed,
  usd,
} from './text'
import { Problem } from './workbench'

const verdicts = ['positive', 'negative', 'no_edge', 'not_enough_evidence'] as const
const states = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

/** patient asks again when the limit of the key allows it. */
async function patient<T>(f: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await f()
    } catch (err) {
      if (!(err instanceof Refused) || err.status !== 429) throw err
      await new Promise((r) => setTimeout(r, Math.max(1, err.retryAfter) * 1000))
    }
  }
}

/** forgotten passes over a run that is there no more. */
const forgotten = (err: unknown) => {
  if (err instanceof Refused && err.status === 404) return undefined
  throw err
}

export function Runs() {
  const [filter, refine] = useState({
    search: '',
    coin: '',
    market_type: '',
    verdict: '',
    state: '',
  })
  const [runs, put] = useState<Run[]>()
  const [next, more] = useState<string | null>(null)
  const [problem, fail] = useState<Refused>()
  const [marked, mark] = useState<string[]>([])
  const [at, move] = useState(0)
  const mine = useRef(0)
  const body = useRef<HTMLTableSectionElement>(null)
  const ask = async (cursor?: string) => {
    const n = ++mine.current
    const q = new URLSearchParams(Object.entries(filter).filter(([, v]) => v !== ''))
    q.set('limit', '100')
    if (cursor) q.set('cursor', cursor)
    try {
      const page = await call<Page<Run>>(`${runsPath}?${q}`)
      if (n !== mine.current) return
      put((before) => (cursor ? [...(before ?? []), ...page.data] : page.data))
      more(page.metadata.next_cursor)
      fail(undefined)
    } catch (err) {
      if (n === mine.current && err instanceof Refused) fail(err)
    }
  }
  useLayoutEffect(() => {
    mine.current++ // no answer to another filter counts any more
    more(null)
    const t = setTimeout(() => void ask(), runs === undefined ? 0 : 150)
    return () => clearTimeout(t)
  }, [filter])
  useEffect(() => {
    document.title = 'Runs · Ladderback'
  }, [])
  const turn = (id: string) =>
    mark((m) => (m.includes(id) ? m.filter((x) => x !== id) : [...m, id].slice(-2)))
  const focus = (i: number) => {
    const to = Math.max(0, Math.min((runs?.length ?? 1) - 1, i))
    move(to)
    body.current?.querySelectorAll<HTMLAnchorElement>('a.t')[to]?.focus()
  }
  const older = (runs ?? [])
    .filter((r) => marked.includes(r.id))
    .reverse()
    .map((r) => r.id)
  const compare = () => older.length === 2 && go(`/runs/${older[0]}/compare/${older[1]}`)
  const keys = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return
    if (e.key === 'ArrowDown' || e.key === 'j') focus(at + 1)
    else if (e.key === 'ArrowUp' || e.key === 'k') focus(at - 1)
    else if (e.key === ' ' || e.key === 'x') {
      const r = runs?.[at]
      if (r?.state === 'done') turn(r.id)
    } else if (e.key === 'c') compare()
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  const choose = (
    name: keyof typeof filter,
    all: string,
    options: readonly string[],
    word = (s: string) => s,
  ) => (
    <select
      aria-label={all}
      value={filter[name]}
      onChange={(e) => refine({ ...filter, [name]: e.currentTarget.value })}
    >
      <option value="">{all}</option>
      {options.map((o) => (
        <option key={o} value={o}>
          {word(o)}
        </option>
      ))}
    </select>
  )
  const [saved, put_] = useState(-1) // runs fetched for the file; −1: none is being made
  const left = useRef(false)
  useLayoutEffect(
    () => () => {
      left.current = true
    },
    [],
  )
  const lines = async () => {
    const out: string[] = []
    put_(0)
    fail(undefined)
    try {
      for (let cursor = ''; ;) {
        const page = await patient(() =>
          call<Page<Run>>(
            `${runsPath}?limit=1000${cursor && '&cursor=' + encodeURIComponent(cursor)}`,
          ),
        )
        for (const r of page.data) {
          const whole =
            r.state === 'done'
              ? await patient(() => call<RunWithResult>(`${runsPath}/${r.id}`).catch(forgotten))
              : { ...r, result: null }
          if (left.current) return
          if (whole) out.push(JSON.stringify(whole) + '\n')
          put_(out.length)
        }
        cursor = page.metadata.next_cursor ?? ''
        if (!cursor) break
      }
      if (!left.current) save('runs.jsonl', out, 'application/x-ndjson')
    } catch (err) {
      if (err instanceof Refused) fail(err)
    }
    put_(-1)
  }
  const filtered = Object.values(filter).some(Boolean)
  return (
    <main id="result" class="page" tabIndex={-1}>
      <div class="row wrap">
        <h1>Runs</h1>
        <span class="acts">
          <button disabled={older.length !== 2} onClick={compare}>
            Compare {older.length === 2 ? 'the two' : 'two marked'}
          </button>
          <button disabled={!runs?.length || saved >= 0} onClick={() => void lines()}>
            {saved >= 0 ? `${counted(saved, 'run')} fetched …` : 'Download all, JSON lines'}
          </button>
        </span>
      </div>
      <div class="filters">
        <input
          type="search"
          aria-label="Search the sentences"
          placeholder="Search the sentences"
          value={filter.search}
          maxLength={200}
          onInput={(e) => refine({ ...filter, search: e.currentTarget.value })}
        />
        <input
          aria-label="Coin"
          placeholder="Coin"
          class="short"
          value={filter.coin}
          maxLength={20}
          onInput={(e) => refine({ ...filter, coin: e.currentTarget.value })}
        />
        {choose('market_type', 'Any length', ['5m', '15m', '1h', '4h', '1d'])}
        {choose('verdict', 'Any verdict', verdicts, (v) =>
          verdictName(v as (typeof verdicts)[number]),
        )}
        {choose('state', 'Any state', states)}
      </div>
      {problem && <Problem problem={problem} until={0} />}
      {runs && runs.length === 0 && (
        <p class="q pad">
          {filtered ? (
            'No run is like that.'
          ) : (
            <>
              No runs yet. <a href="/">Write a sentence</a> and run it.
            </>
          )}
        </p>
      )}
      {runs && runs.length > 0 && (
        <div class="wrapx">
          <table class="list" onKeyDown={keys}>
            <thead>
              <tr>
                <th>
                  <span class="sr">mark</span>
                </th>
                <th class="wide">made, UTC</th>
                <th>sentence</th>
                <th class="wide">market</th>
                <th class="n">trades</th>
                <th class="n">mean pnl</th>
                <th class="n wide">95% interval</th>
                <th class="n wide">total pnl</th>
                <th class="wide">verdict</th>
              </tr>
            </thead>
            <tbody ref={body}>
              {runs.map((r, i) => {
                const h = r.headline
                return (
                  <tr key={r.id} class={marked.includes(r.id) ? 'sel' : ''}>
                    <td>
                      <input
                        type="checkbox"
                        aria-label={`Mark the run of ${minute(r.created_at)}`}
                        tabIndex={-1}
                        disabled={r.state !== 'done'}
                        checked={marked.includes(r.id)}
                        onChange={() => turn(r.id)}
                      />
                    </td>
                    <td class="q wide">{minute(r.created_at)}</td>
                    <td class="words">
                      <a class="t" href={'/runs/' + r.id} title={r.prompt} onFocus={() => move(i)}>
                        {r.prompt}
                      </a>
                    </td>
                    <td class="wide q">
                      {r.coin} {r.market_type}
                    </td>
                    <td class="n">{h ? count(h.markets_traded) : ''}</td>
                    <td
                      class={'n ' + (h?.mean_pnl == null ? '' : h.mean_pnl < 0 ? 'loss' : 'gain')}
                    >
                      {h ? usd(h.mean_pnl) : ''}
                    </td>
                    <td class="n wide q">
                      {h ? interval(h.mean_pnl_interval, (v) => signed(v)) : ''}
                    </td>
                    <td class="n wide">{h ? usd(h.total_pnl) : ''}</td>
                    <td class="wide">
                      {h ? verdictName(h.verdict) : <span class="q">{r.state}</span>}
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
      {next && (
        <p class="pad">
          <button onClick={() => void ask(next)}>Older runs</button>
        </p>
      )}
      {runs && runs.length > 1 && (
        <p class="q small pad">
          ↑ ↓ run, Space marks, C compares two marked. The best of many tries looks better than it
          is.
        </p>
      )}
    </main>
  )
}

const names: Record<string, [string, (x: number) => string, (x: number) => string]> = {
  markets_found: ['markets replayed', (x) => count(x), (x) => signed(x, 0)],
  markets_traded: ['trades', (x) => count(x), (x) => signed(x, 0)],
  mean_pnl: ['mean pnl per trade', usd, usd],
  win_rate: ['win rate', rate, points],
  total_pnl: ['total pnl', usd, usd],
  return_on_stake: ['return on money staked', signedRate, points],
  edge: ['edge per share', signedPrice, signedPrice],
  avg_win: ['average win', usd, usd],
  avg_loss: ['average loss', usd, usd],
  max_drawdown: ['max drawdown', dollars, usd],
  fees: ['fees', dollars, usd],
}

/** Of a trade that differs, these fields are told; the rest follows from them. */
const told = ['entry_price', 'exit_price', 'exit_reason']
const plain = (json: string) => json.replace(/^"|"$/g, '').replaceAll('_', ' ')

function answer(c: Comparison): [string, string] {
  const p = c.paired
  if (p.mean_difference === null) return ['Not enough evidence', 'There are no rounds to pair.']
  const over =
    counted(p.rounds, 'round') +
    (p.same_sample
      ? ' that either traded'
      : ' that both traded (the runs replayed different rounds)')
  const why = `B − A is ${usd(p.mean_difference)} per round (95% interval: ${interval(p.interval, usd)}) over ${over}.`
  const head =
    p.answer === 'better'
      ? 'B is better than A'
      : p.answer === 'worse'
        ? 'B is worse than A'
        : p.answer === 'no_difference'
          ? 'No difference shown'
          : 'Not enough evidence'
  return [head, why]
}

export function Compare({ a, b }: { a: string; b: string }) {
  const [got, put] = useState<{ c: Comparison; a: RunWithResult; b: RunWithResult }>()
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
  const [head, why] = answer(c)
  // The numbers of the reports have a table of their own, and so have the trades.
  const fields = c.fields.filter(
    (f) => f.field.startsWith('strategy.') || f.field.startsWith('report.options.'),
  )
  const words = diff(got.a.prompt, got.b.prompt)
  const intervals: Record<string, [string, string]> = {}
  for (const [name, key, f] of [
    ['mean_pnl', 'mean_pnl_interval', usd],
    ['win_rate', 'win_rate_interval', rate],
  ] as const)
    intervals[name] = [
      interval(got.a.result!.report.stats[key], f),
      interval(got.b.result!.report.stats[key], f),
    ]
  const side = (r: RunWithResult, name: string, op: '-' | '+') => (
    <div>
      <h2>
        {name}{' '}
        <small>
          <a href={'/runs/' + r.id}>run of {minute(r.created_at)} UTC</a>
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
  return (
    <main id="result" class="page" tabIndex={-1}>
      <h1>{head}</h1>
      <p class="lead">{prose(why)}</p>
      <section class="two even">
        {side(got.a, 'A', '-')}
        {side(got.b, 'B', '+')}
      </section>
      {fields.length > 0 && (
        <section>
          <h2>What differs in the strategy and options</h2>
          <table>
            <thead>
              <tr>
                <th>field</th>
                <th>A</th>
                <th>B</th>
              </tr>
            </thead>
            <tbody>
              {fields.map((f) => (
                <tr key={f.field}>
                  <td>{f.field.replace(/^strategy\.|^report\./, '')}</td>
                  <td class="words">{f.a || '–'}</td>
                  <td class="words">{f.b || '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <section>
        <h2>Numbers</h2>
        <div class="wrapx" tabIndex={0} role="region" aria-label="Numbers">
          <table>
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
              {c.numbers.map((n) => {
                const [name, value, change] = names[n.name] ?? [n.name, usd, usd]
                const or = (x: number | null, f: (x: number) => string) => (x === null ? '–' : f(x))
                const i = intervals[n.name]
                return (
                  <tr key={n.name}>
                    <td>{name}</td>
                    <td class="n">{or(n.a, value)}</td>
                    <td class="n wide q">{i?.[0] ?? ''}</td>
                    <td class="n">{or(n.b, value)}</td>
                    <td class="n wide q">{i?.[1] ?? ''}</td>
                    <td class="n">{or(n.difference, change)}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      </section>
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
                  <th>market</th>
                  <th>what differs</th>
                  <th class="n">pnl A</th>
                  <th class="n">pnl B</th>
                  <th class="n">B − A</th>
                </tr>
              </thead>
              <tbody>
                {c.changed.map((t) => (
                  <tr key={t.market_id}>
                    <td>{t.market_slug}</td>
                    <td class="words q">
                      {t.fields
                        .filter((f) => told.includes(f.field))
                        .map((f) => `${f.field.replaceAll('_', ' ')} ${plain(f.a)} → ${plain(f.b)}`)
                        .join(', ')}
                    </td>
                    <td class="n">{usd(t.pnl_a)}</td>
                    <td class="n">{usd(t.pnl_b)}</td>
                    <td class={'n ' + (t.pnl_change < 0 ? 'loss' : 'gain')}>{usd(t.pnl_change)}</td>
                  </tr>
                ))}
                {c.only_a.map((t) => (
                  <tr key={t.market_id + 'a'}>
                    <td>{t.market_slug}</td>
                    <td class="q">only in A</td>
                    <td class="n">{usd(t.pnl)}</td>
                    <td class="n">–</td>
                    <td class="n">{usd(-t.pnl)}</td>
                  </tr>
                ))}
                {c.only_b.map((t) => (
                  <tr key={t.market_id + 'b'}>
                    <td>{t.market_slug}</td>
                    <td class="q">only in B</td>
                    <td class="n">–</td>
                    <td class="n">{usd(t.pnl)}</td>
                    <td class="n">{usd(t.pnl)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
    </main>
  )
}
