// The sentences that somebody without runs may begin with: of what the archive has.
import { useEffect, useState } from 'preact/hooks'
import { call, Refused, type Archive } from './api'
import { set, write } from './bench'
import { defaults } from './strategy'
import { counted } from './text'

type Held = NonNullable<Archive['rounds']>[number]

const FEW = 30 // trades that a verdict needs: with fewer official winners the inferred ones are taken too

const seconds = (length: string) =>
  Number.parseInt(length) * ({ m: 60, h: 3600, d: 86_400 }[length.at(-1)!] ?? 60)

interface Example {
  prompt: string
  inferred: boolean
}

/** examplesOf are three sentences over the coins and lengths of which there is most. */
export function examplesOf(held: readonly Held[]): Example[] {
  const all = (h: Held) => h.rounds + h.inferred
  const most = [...held].filter((h) => all(h) > 0).sort((a, b) => all(b) - all(a))
  const first = most[0]
  if (!first) return []
  const second = most[1] ?? first
  const of = (
    h: Held,
    says: (what: string, part: (n: number) => string, last: string) => string,
  ) => {
    const inferred = h.rounds < FEW && h.inferred > 0
    const n = Math.min(100, inferred ? all(h) : h.rounds)
    const part = (share: number) =>
      counted(Math.max(1, Math.round(seconds(h.market_type) / share / 60)), 'minute')
    return {
      inferred,
      prompt: says(`${h.coin} ${h.market_type}`, part, `last ${counted(n, 'market')}`),
    }
  }
  return [
    of(
      first,
      (what, part, last) =>
        `Buy Up on ${what} when Up drops below 35 cents in the first ${part(3)}, take profit at 55c, stop at 20c, $50 per trade, ${last}`,
    ),
    of(
      second,
      (what, part, last) =>
        `Buy the favorite on ${what} when its ask is at most 80c in the last ${part(6)}, hold to expiry, $25 per trade, ${last}`,
    ),
    of(
      first,
      (what, part, last) =>
        `Buy Down on ${what} when Up has risen by at least 10 cents in ${part(15)}, sell after ${part(5)}, $100 per trade, ${last}`,
    ),
  ]
}

export function Examples() {
  const [got, put] = useState<Example[]>()
  useEffect(() => {
    call<Archive>('/archive?rounds=true')
      .then((a) => put(examplesOf(a.rounds ?? [])))
      .catch((err: unknown) => {
        if (!(err instanceof Refused)) throw err
      })
  }, [])
  if (!got) return null
  if (got.length === 0)
    return <p class="q examples">The archive has no up/down round that can be replayed yet.</p>
  return (
    <div class="examples">
      <p class="lab">No runs yet. Try one of these, over what this archive has:</p>
      {got.map((x) => (
        <button
          key={x.prompt}
          onClick={() => {
            set({ options: { ...defaults, winners: x.inferred ? 'inferred' : 'official' } })
            write(x.prompt)
            document.getElementById('sentence')?.focus()
          }}
        >
          {x.prompt}
          {x.inferred && <small class="from">with inferred winners: few are official</small>}
        </button>
      ))}
    </div>
  )
}
