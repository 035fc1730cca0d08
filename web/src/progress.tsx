// How far a run is.
import { useEffect, useState } from 'preact/hooks'
import { stop, type Live } from './bench'
import { count, span } from './text'

export function Progress({ live }: { live: Live }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const t = setInterval(() => tick((n) => n + 1), 250)
    return () => clearInterval(t)
  }, [])
  const elapsed = Math.max(0, (Date.now() - live.since) / 1000)
  const part = live.total ? live.done / live.total : 0
  const doing =
    live.state === 'queued'
      ? 'Waiting for a place to run'
      : live.total === 0
        ? 'Starting'
        : `${live.phase === 'baseline' ? 'Baseline' : 'Strategy'}: ${count(live.done)} of ${count(live.total)} rounds`
  return (
    <div class="progress" role="status" aria-live="polite">
      <div class="row">
        <span class="num">{doing}</span>
        <span class="num q" aria-hidden="true">
          {span(elapsed)}
        </span>
        <button onClick={() => void stop()} disabled={!live.id}>
          Stop
        </button>
      </div>
      {live.lost && (
        <p class="q small">
          Connection lost; trying again. The run goes on as soon as the server is back.
        </p>
      )}
      <progress max={1} value={live.total ? part : undefined} aria-label="Progress" />
    </div>
  )
}
