// How well each round of a short archive is recorded, by the time of its day.
import { useEffect, useState } from 'preact/hooks'
import { call, type MarketItem, type Page } from './api'
import { counted, rate } from './text'

const DAY = 86_400 // seconds

/** FEW is how many days an archive has at most of which every round is shown; a calendar of them says little. */
export const FEW = 3

interface Strip {
  name: string // of the coin and length
  rounds: { slug: string; at: number; long: number; coverage: number }[] // seconds into the day
}

/** strips puts rounds into a strip each coin and length, by the days on which they start. */
export function strips(list: readonly MarketItem[]): Map<string, Strip[]> {
  const out = new Map<string, Map<string, Strip>>()
  for (const m of list) {
    const of = /^(\w+)-updown-(\w+)-(\d+)$/.exec(m.slug)
    if (!of || !m.end_date) continue
    const start = Number(of[3])
    const on = new Date(start * 1000).toISOString().slice(0, 10)
    const name = `${of[1]!.toUpperCase()} ${of[2]}`
    const day = out.get(on) ?? new Map<string, Strip>()
    out.set(on, day)
    const strip = day.get(name) ?? { name, rounds: [] }
    day.set(name, strip)
    strip.rounds.push({
      slug: m.slug,
      at: start % DAY,
      long: Date.parse(m.end_date) / 1000 - start,
      coverage: m.recorded?.captures ? m.recorded.coverage : 0,
    })
  }
  return new Map(
    [...out]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([on, day]) => [on, [...day.values()].sort((a, b) => (a.name < b.name ? -1 : 1))]),
  )
}

export function Rounds({ category }: { category: string }) {
  const [list, put] = useState<MarketItem[]>()
  useEffect(() => {
    const stop = new AbortController()
    const all = async () => {
      const got: MarketItem[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const q = new URLSearchParams({
          category,
          include_closed: 'true',
          recorded: 'true',
          sort: 'end_date',
          limit: '1000',
        })
        if (cursor) q.set('cursor', cursor)
        const page: Page<MarketItem> = await call('/markets?' + q, { signal: stop.signal })
        got.push(...page.data)
        cursor = page.metadata.next_cursor
      }
      put(got)
    }
    all().catch(() => {}) // the days stand above
    return () => stop.abort()
  }, [category])
  if (!list) return null
  return (
    <div class="rounds">
      {[...strips(list)].map(([on, of]) => (
        <table key={on}>
          <caption>
            {on} <small>each round by its coverage, 00:00 to 24:00 UTC</small>
          </caption>
          <tbody>
            {of.map((s) => (
              <tr key={s.name}>
                <th scope="row">{s.name}</th>
                <td>
                  <svg
                    viewBox={`0 0 ${DAY} 1`}
                    preserveAspectRatio="none"
                    role="img"
                    aria-label={`${counted(s.rounds.length, 'round')}: coverage ${rate(Math.min(...s.rounds.map((r) => r.coverage)))} to ${rate(Math.max(...s.rounds.map((r) => r.coverage)))}`}
                  >
                    {s.rounds.map((r) => (
                      <rect
                        key={r.slug}
                        x={r.at}
                        width={r.long * 0.9}
                        height="1"
                        style={{ '--a': `${15 + 85 * r.coverage}%` }}
                      >
                        <title>{`${new Date((Math.floor(Date.parse(on) / 1000) + r.at) * 1000).toISOString().slice(11, 16)}: ${rate(r.coverage)}`}</title>
                      </rect>
                    ))}
                  </svg>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      <p>
        <a href="/markets">The rounds as a list</a>
      </p>
    </div>
  )
}
