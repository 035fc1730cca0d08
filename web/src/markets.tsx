// The markets of the archive.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call, Refused, type Archive, type MarketItem, type Page } from './api'
import { Problem } from './problem'
import { count, minute, rate } from './text'

const kinds = ['crypto', 'up-or-down']
const length = (tag: string) => /^\d+[mhd]$/.test(tag)

export function Markets() {
  const [tags, know] = useState<string[]>([])
  const [now, reach] = useState<string>() // an archive's: its newest capture
  useEffect(() => {
    call<{ data: string[] }>('/tags?category=crypto')
      .then((t) => know(t.data))
      .catch(() => {}) // the list works without
    call<Archive>('/archive')
      .then(({ data }) =>
        reach(
          data
            .flatMap((c) => c.watermark ?? [])
            .sort()
            .at(-1),
        ),
      )
      .catch(() => {})
  }, [])
  const [filter, refine] = useState({ search: '', coin: '', length: '', state: '' })
  const [list, put] = useState<MarketItem[]>()
  const [next, more] = useState<string | null>(null)
  const [problem, fail] = useState<Refused>()
  const mine = useRef(0)
  const ask = async (cursor?: string) => {
    const n = ++mine.current
    const q = new URLSearchParams({
      include_closed: 'true',
      recorded: 'true',
      sort: 'end_date',
      limit: '100',
    })
    if (filter.search) q.set('search', filter.search)
    if (filter.state === 'open') q.delete('include_closed')
    if (filter.state === 'over') q.set('end_date_max', now ?? new Date().toISOString())
    for (const tag of [filter.coin, filter.length]) if (tag) q.append('tags', tag)
    if (cursor) q.set('cursor', cursor)
    try {
      const page = await call<Page<MarketItem>>('/markets?' + q)
      if (n !== mine.current) return
      put((before) => (cursor ? [...(before ?? []), ...page.data] : page.data))
      more(page.metadata.next_cursor)
      fail(undefined)
    } catch (err) {
      if (n === mine.current && err instanceof Refused) fail(err)
    }
  }
  useLayoutEffect(() => {
    mine.current++ // no answer to another search counts any more
    more(null)
    const t = setTimeout(() => void ask(), list === undefined ? 0 : 150)
    return () => clearTimeout(t)
  }, [filter])
  useEffect(() => {
    document.title = 'Markets · Ladderback'
  }, [])
  return (
    <main id="result" class="page" tabIndex={-1}>
      <h1>Markets</h1>
      <div class="filters">
        <input
          type="search"
          aria-label="Search markets"
          placeholder="Search by question or slug"
          maxLength={200}
          value={filter.search}
          onInput={(e) => refine({ ...filter, search: e.currentTarget.value })}
        />
        <select
          aria-label="Coin"
          value={filter.coin}
          onChange={(e) => refine({ ...filter, coin: e.currentTarget.value })}
        >
          <option value="">Any coin</option>
          {tags
            .filter((t) => !length(t) && !kinds.includes(t))
            .map((t) => (
              <option key={t}>{t}</option>
            ))}
        </select>
        <select
          aria-label="Length"
          value={filter.length}
          onChange={(e) => refine({ ...filter, length: e.currentTarget.value })}
        >
          <option value="">Any length</option>
          {tags.filter(length).map((t) => (
            <option key={t}>{t}</option>
          ))}
        </select>
        <select
          aria-label="State"
          value={filter.state}
          onChange={(e) => refine({ ...filter, state: e.currentTarget.value })}
        >
          <option value="">Any state</option>
          <option value="open">open</option>
          <option value="over">over</option>
        </select>
      </div>
      {problem && <Problem problem={problem} until={0} />}
      {list && list.length === 0 && (
        <p class="q">
          {Object.values(filter).some(Boolean)
            ? 'No market is like that.'
            : 'The archive has no markets.'}
        </p>
      )}
      {list && list.length > 0 && (
        <div class="wrapx">
          <table class="list">
            <thead>
              <tr>
                <th>question</th>
                <th class="wide">slug</th>
                <th>ends, UTC</th>
                <th class="n wide">captures</th>
                <th class="n">coverage</th>
                <th>winner</th>
                <th>status</th>
              </tr>
            </thead>
            <tbody>
              {list.map((m) => (
                <tr key={m.id}>
                  <td class="words">
                    <a class="t" title={m.question} href={'/markets/' + encodeURIComponent(m.slug)}>
                      {m.question}
                    </a>
                  </td>
                  <td class="wide q">{m.slug}</td>
                  <td>{m.end_date ? minute(m.end_date) : '–'}</td>
                  <td class="n wide">{m.recorded ? count(m.recorded.captures) : ''}</td>
                  <td class="n">{m.recorded?.captures ? rate(m.recorded.coverage) : '–'}</td>
                  <td>{m.recorded?.winner ?? '–'}</td>
                  <td class="q">{m.status}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {next && (
        <p class="pad">
          <button onClick={() => void ask(next)}>More</button>
        </p>
      )}
    </main>
  )
}
