// A mean with its interval in a list: small, beside zero, all on one scale.
import type { Run } from './api'
import { interval, usd } from './text'

type Mean = Pick<NonNullable<Run['headline']>, 'mean_pnl' | 'mean_pnl_interval'>

/** extent is the scale that holds the intervals of all, and zero. */
export function extent(all: readonly Mean[]): [number, number] {
  const ends = all.flatMap((h) => h.mean_pnl_interval ?? (h.mean_pnl === null ? [] : [h.mean_pnl]))
  return [Math.min(0, ...ends), Math.max(0, ...ends)]
}

export function Mini({
  of: h,
  on: [low, high],
  write = usd,
}: {
  of: Mean
  on: [number, number]
  write?: (x: number) => string
}) {
  const at = (x: number) => `${(((x - low) / (high - low || 1)) * 100).toFixed(1)}%`
  const i = h.mean_pnl_interval
  const said = interval(i, write)
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
