// What a result is warned of, and the replays that do without it.
import type { Remark, Remedy } from './api'
import { prose } from './prose'

export function Warnings({
  list,
  replay,
}: {
  list: readonly Remark[]
  replay?: ((r: Remedy) => void) | undefined // absent where nothing can be run
}) {
  const said = list.filter((w) => w.code !== 'simulated') // the band says it
  if (said.length === 0) return null
  return (
    <ul class="warns" aria-label="Warnings">
      {said.map((w) => (
        <li key={w.code}>
          <b>{w.head}</b> {prose(w.text)} <Remedies list={w.remedies} replay={replay} />
        </li>
      ))}
    </ul>
  )
}

export function Remedies({
  list,
  replay,
}: {
  list: readonly Remedy[]
  replay?: ((r: Remedy) => void) | undefined
}) {
  if (!replay) return null
  return (
    <>
      {list.map((r) => (
        <button key={r.label} class="remedy" onClick={() => replay(r)}>
          {r.label}
        </button>
      ))}
    </>
  )
}
