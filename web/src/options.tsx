// The options of a replay.
import { set, type State } from './bench'
import { optionWords, type Choice } from './strategy'

export function Options({ s }: { s: State }) {
  const o = s.options
  const put = (patch: Partial<Choice>) => set({ options: { ...o, ...patch } })
  const number = (name: string, unit: string, key: 'latency_ms' | 'stale_ms' | 'seed', per = 1) => (
    <label>
      {name}
      <span>
        <input
          type="number"
          min="0"
          step={key === 'latency_ms' ? 50 : 1}
          value={o[key] / per}
          onChange={(e) =>
            put({ [key]: Math.max(0, Math.round(Number(e.currentTarget.value) * per)) })
          }
        />{' '}
        {unit}
      </span>
    </label>
  )
  return (
    <details class="opts">
      <summary>
        <span>{optionWords(o).join(' · ')}</span> <u>change</u>
      </summary>
      <div class="form">
        {number('Latency', 'ms', 'latency_ms')}
        <label>
          Slippage cap
          <span>
            <input
              type="text"
              inputMode="decimal"
              value={String(o.max_slippage)}
              aria-describedby="slip"
              onChange={(e) => {
                const v = e.currentTarget.value.trim()
                if (v === '' || v === 'none') put({ max_slippage: 'none' })
                else if (Number(v) >= 0) put({ max_slippage: Number(v) })
                else e.currentTarget.value = String(o.max_slippage) // no number takes the cap off
              }}
            />{' '}
            <i id="slip">USD or none</i>
          </span>
        </label>
        {number('Stale after', 'seconds', 'stale_ms', 1000)}
        <label>
          Fees
          <select
            value={o.fees}
            onChange={(e) => put({ fees: e.currentTarget.value as Choice['fees'] })}
          >
            <option value="venue">venue</option>
            <option value="none">none</option>
          </select>
        </label>
        <label>
          Winners
          <select
            value={o.winners}
            onChange={(e) => put({ winners: e.currentTarget.value as Choice['winners'] })}
          >
            <option value="official">official</option>
            <option value="inferred">official and inferred</option>
          </select>
        </label>
        <label>
          Min coverage
          <span>
            <input
              type="number"
              min="0"
              max="1"
              step="0.05"
              value={o.min_coverage}
              onChange={(e) =>
                put({ min_coverage: Math.min(1, Math.max(0, Number(e.currentTarget.value))) })
              }
            />{' '}
            0 to 1
          </span>
        </label>
        <label>
          Sampling
          <select
            value={o.sampling}
            onChange={(e) => put({ sampling: e.currentTarget.value as Choice['sampling'] })}
          >
            <option value="recent">recent</option>
            <option value="random">random</option>
          </select>
        </label>
        {number('Seed', '', 'seed')}
        <label>
          From, UTC
          <input
            type="text"
            placeholder="2026-04-13"
            value={o.from}
            onChange={(e) => put({ from: e.currentTarget.value.trim() })}
          />
        </label>
        <label>
          To, UTC
          <input
            type="text"
            placeholder="2026-04-14"
            value={o.to}
            onChange={(e) => put({ to: e.currentTarget.value.trim() })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={o.baseline}
            onChange={(e) => put({ baseline: e.currentTarget.checked })}
          />{' '}
          baseline
        </label>
      </div>
    </details>
  )
}
