// The interval of a run in a list: small, beside zero, all on one scale.
import type { Run } from './api'
import { interval, usd } from './text'

type Headline = NonNullable<Run['headline']>

/** extent is the scale that holds the intervals of all, and zero. */
export function extent(all: readonly Headline[]): [number, number] {
  const ends = all.flatMap((h) => h.mean_pnl_interval ?? (h.mean_pnl === null ? [] : [h.mean_pnl]))
  return [Math.min(0, ...ends), Math.max(0, ...ends)]
}

export function Mini({ of: h, on: [low, high] }: { of: Headline; on: [number, number] }) {
  const at = (x: number) => `${(((x - low) / (high - low || 1)) * 100).toFixed(1)}%`
  const i = h.mean_pnl_interval
  const said = interval(i, usd)
  return (
    <span class="mini" title={`95% interval: ${said}`}>
      <span class="sr">{said}</span>
      <u style={{ left: at(0) }} />
      {i && (
        <i
          style={{
            left: at(i[0]!),
            width: `${(((i[1]! - i[0]!) / (high - low || 1)) * 100).toFixed(1)}%`,
          }}
        />
      )}
      {h.mean_pnl !== null && <b style={{ left: at(h.mean_pnl) }} />}
    </span>
  )
}
