// The grid of a sweep: the mean pnl of each pair of values.
import { useMemo, useRef, useState } from 'preact/hooks'
import type { Sweep } from './api'
import { valueWords, type Place } from './places'
import { counted, interval, signed, usd } from './text'

type Variant = Sweep['variants'][number]

/** nameOf names a field as the sentence does, where it has a place in it. */
export const nameOf = (places: readonly Place[], field: string) =>
  places.find((p) => p.field === field)?.name ?? field.replaceAll('_', ' ')

export function Grid({
  sweep,
  places,
  pick,
}: {
  sweep: Sweep
  places: readonly Place[]
  pick: (values: number[]) => void
}) {
  const { axes } = sweep
  const across = axes.at(-1)!
  const down = axes.length > 1 ? axes[0]! : undefined
  const rows = down?.values.length ?? 1
  const cols = across.values.length
  const byNumber = useMemo(() => new Map(sweep.variants.map((v) => [v.number, v])), [sweep])
  const most = Math.max(
    0.01,
    ...sweep.variants.filter((v) => v.eligible).map((v) => Math.abs(v.mean_pnl ?? 0)),
  )
  const words = (field: string, v: number) =>
    valueWords(places.find((p) => p.field === field)?.unit ?? 'number', v)
  const ownAt = (i: number) =>
    axes.every(
      (a, k) =>
        a.values[k === axes.length - 1 ? i % cols : Math.floor(i / cols)] === sweep.own.values[k],
    )
  const own = Array.from({ length: rows * cols }, (_, i) => i).find(ownAt) ?? 0
  const [at, move] = useState(own)
  const box = useRef<HTMLTableElement>(null)
  const keys = (e: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cols, ArrowDown: cols }[e.key]
    if (by === undefined || e.ctrlKey || e.metaKey || e.altKey) return
    e.preventDefault()
    e.stopPropagation()
    const to = at + by
    if (
      to < 0 ||
      to >= rows * cols ||
      (Math.abs(by) === 1 && Math.floor(to / cols) !== Math.floor(at / cols))
    )
      return
    move(to)
    box.current?.querySelectorAll<HTMLButtonElement>('td button')[to]?.focus()
  }
  const cell = (i: number) => {
    const values = axes.map(
      (a, k) => a.values[k === axes.length - 1 ? i % cols : Math.floor(i / cols)]!,
    )
    const v: Variant | undefined = byNumber.get(sweep.cells[i] ?? 0)
    const said = axes
      .map((a, k) => `${nameOf(places, a.field)} ${words(a.field, values[k]!)}`)
      .join(', ')
    const why = sweep.invalid.find((x) => x.values.every((y, k) => y === values[k]))?.reason
    const is = ownAt(i)
    const sure = v?.eligible && (v.verdict === 'positive' || v.verdict === 'negative')
    const text = !v
      ? `no valid strategy${why ? ': ' + why : ''}`
      : v.mean_pnl === null
        ? 'no trades'
        : `${usd(v.mean_pnl)} per trade over ${counted(v.trades, 'trade')}${v.eligible ? `, 95% interval ${interval(v.mean_pnl_interval, usd)}` : ', too few for a verdict'}${sure ? ', which excludes zero' : ''}${v.survives ? ', survives' : ''}`
    const look = !v
      ? 'void'
      : !v.eligible || v.mean_pnl === null
        ? 'pale'
        : v.mean_pnl < 0
          ? 'neg'
          : 'pos'
    return (
      <td
        key={i}
        class={look + (is ? ' cur' : '')}
        style={{
          '--a': v?.mean_pnl == null ? '0%' : `${Math.min(1, Math.abs(v.mean_pnl) / most) * 46}%`,
        }}
      >
        <button
          title={`${said}: ${text}`}
          aria-label={`${said}: ${text}${is ? '; the sentence itself' : ''}`}
          tabIndex={i === at ? 0 : -1}
          onFocus={() => move(i)}
          aria-disabled={!v || is}
          onClick={() => v && !is && pick(values)}
        >
          {!v ? '' : v.mean_pnl === null ? '–' : signed(v.mean_pnl)}
          {v?.survives ? ' ◆' : sure && ' •'}
        </button>
      </td>
    )
  }
  return (
    <div class="wrapx">
      <table class="sw grid8" ref={box} onKeyDown={keys}>
        <caption>
          Mean pnl per trade, USD{down && <>: {nameOf(places, down.field)} down,</>}{' '}
          {nameOf(places, across.field)} across
        </caption>
        <thead>
          <tr>
            {down && <td />}
            {across.values.map((v) => (
              <th key={v} scope="col" class="n">
                {words(across.field, v)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: rows }, (_, r) => (
            <tr key={r}>
              {down && <th scope="row">{words(down.field, down.values[r]!)}</th>}
              {Array.from({ length: cols }, (_, c) => cell(r * cols + c))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
