// All runs, to search, filter and mark; two marked ones are compared.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call, Refused, runsPath, type Page, type Run, type RunWithResult } from './api'
import { save } from './download'
import { useKeydown } from './keyboard'
import { extent, Mini } from './mini'
import { go } from './router'
import { Problem } from './problem'
import { count, counted, minute, usd, verdictName } from './text'

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

export function Runs({ search }: { search: URLSearchParams }) {
  const [filter, refine] = useState({
    search: '',
    coin: search.get('coin') ?? '',
    market_type: search.get('market_type') ?? '',
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
    q.set('limit', '50')
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
  useKeydown((e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !runs?.length) return
    if ((e.target as HTMLElement).matches('input, select, button')) return
    const on = Boolean(body.current?.contains(document.activeElement))
    const does: Record<string, () => void> = {
      ArrowDown: () => focus(on ? at + 1 : 0),
      j: () => focus(on ? at + 1 : 0),
      ArrowUp: () => focus(at - 1),
      k: () => focus(at - 1),
      ' ': () => runs[at]?.state === 'done' && turn(runs[at]!.id),
      x: () => runs[at]?.state === 'done' && turn(runs[at]!.id),
      c: compare,
    }
    if (!does[e.key]) return
    does[e.key]!()
    e.preventDefault()
  })
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
  const on = extent((runs ?? []).flatMap((r) => r.headline ?? []))
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
          <table class="list">
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
                <th class="wide">95% interval</th>
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
                    <td class="wide">{h && <Mini of={h} on={on} />}</td>
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
