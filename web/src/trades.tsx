// All trades of a run, in the order that somebody likes: only the rows in view are in
// the document.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Trade } from './api'
import { scaleOf } from './chart'
import { useMedia } from './media'
import {
  count,
  counted,
  exitWords,
  fixed,
  instant,
  minute,
  price,
  rate,
  roundStart,
  shares,
  span,
  usd,
} from './text'

/** poorly says how much of its round a trade's captures cover. */
const poorly = (coverage: number) => `recorded for ${rate(coverage)} of the round`

const ROW = 26 // pixels, of text at its own size
const FINGER = 40 // pixels that a row is high at least where fingers tap it
const SPARE = 8

type By = 'exit' | 'round' | 'pnl'

/** orderOf lists the numbers of the trades that are shown, from 1. */
export function orderOf(trades: readonly Trade[], by: By, down: boolean, reason: string): number[] {
  const out: number[] = []
  trades.forEach((t, i) => (reason === '' || t.exit_reason === reason) && out.push(i + 1))
  const of = (n: number) => {
    const t = trades[n - 1]!
    return by === 'pnl' ? t.pnl : by === 'round' ? instant(t.entry_time) : n
  }
  return out.sort((a, b) => (down ? of(b) - of(a) : of(a) - of(b)) || a - b)
}

export function Trades({
  trades,
  chosen,
  choose,
}: {
  trades: readonly Trade[]
  chosen: number
  choose: (n: number) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const [top, scroll] = useState(0) // the first row in view, in steps of SPARE: in between nothing is drawn anew
  const [height, grow] = useState(338)
  const [text, scale] = useState(ROW)
  const HIGH = Math.max(text, useMedia('(pointer: coarse)') ? FINGER : 0)
  const [by, sort] = useState<By>('exit')
  const [down, turn] = useState(false)
  const [asked, filter] = useState('')
  const reasons = useMemo(() => [...new Set(trades.map((t) => t.exit_reason))], [trades])
  // Another run may have none of the exit that was asked for.
  const reason = reasons.find((r) => r === asked) ?? ''
  const order = useMemo(() => orderOf(trades, by, down, reason), [trades, by, down, reason])
  useLayoutEffect(() => {
    const el = box.current!
    const sizes = new ResizeObserver(() => {
      grow(el.clientHeight)
      scale(Math.round(ROW * scaleOf(el)))
    })
    sizes.observe(el)
    return () => sizes.disconnect()
  }, [])
  useLayoutEffect(() => {
    box.current!.scrollTop = 0 // another order is read from its beginning
  }, [by, down, reason])
  useLayoutEffect(() => {
    const el = box.current!
    const at = order.indexOf(chosen) * HIGH
    if (at < 0) return
    if (at < el.scrollTop) el.scrollTop = at
    else if (at + 2 * HIGH > el.scrollTop + el.clientHeight)
      el.scrollTop = at + 2 * HIGH - el.clientHeight
  }, [chosen, HIGH])
  const paper = useMedia('print')
  const from = paper ? 0 : Math.max(0, Math.min(top, order.length) - SPARE)
  const to = paper
    ? order.length
    : Math.min(order.length, top + Math.ceil(height / HIGH) + 2 * SPARE)
  const most = useMemo(
    () => trades.reduce((m, t) => Math.max(m, Math.abs(t.pnl)), 0) || 1,
    [trades],
  )
  const marked = useMemo(() => trades.some((t) => t.coverage !== undefined), [trades])
  const head = (name: By, text: string, kind = '') => (
    <th class={kind} aria-sort={by !== name ? 'none' : down ? 'descending' : 'ascending'}>
      <button
        class="link"
        onClick={() => {
          turn(by === name ? !down : name === 'pnl')
          sort(name)
        }}
      >
        {text}
        <span aria-hidden="true">{by !== name ? '' : down ? ' ↓' : ' ↑'}</span>
      </button>
    </th>
  )
  return (
    <section class="trades" aria-label="All trades">
      <h2>
        Trades{' '}
        <small class="num">
          {order.length === trades.length
            ? counted(trades.length, 'trade')
            : `${count(order.length)} of ${count(trades.length)}`}
          , times in UTC
        </small>
        {reasons.length > 1 && (
          <select
            class="push small"
            aria-label="Exit reason"
            value={reason}
            onChange={(e) => filter(e.currentTarget.value)}
          >
            <option value="">every exit</option>
            {reasons.map((r) => (
              <option key={r} value={r}>
                {exitWords(r)}
              </option>
            ))}
          </select>
        )}
      </h2>
      <div
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label="Trades"
        ref={box}
        onScroll={(e) => scroll(Math.floor(e.currentTarget.scrollTop / HIGH / SPARE) * SPARE)}
      >
        <table aria-rowcount={order.length + 1} id="trades">
          <thead>
            <tr aria-rowindex={1}>
              {head('exit', '#', 'n')}
              {head('round', 'round')}
              <th class="wide">side</th>
              <th class="n mid">entry</th>
              <th class="n wide">shares</th>
              <th class="n mid">exit</th>
              <th>exit reason</th>
              <th class="n wide">held</th>
              <th class="n wide">fees</th>
              {head('pnl', 'pnl', 'n')}
              <th class="wide">
                <span class="sr">size of the pnl</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {from > 0 && (
              <tr aria-hidden="true">
                <td colSpan={11} style={{ height: from * HIGH + 'px', padding: 0 }} />
              </tr>
            )}
            {order.slice(from, to).map((n, k) => {
              const t = trades[n - 1]!
              return (
                <tr
                  key={n}
                  class={n === chosen ? 'sel' : ''}
                  aria-rowindex={from + k + 2}
                  aria-selected={n === chosen}
                  onClick={() => choose(n)}
                  data-n={n}
                >
                  <td class="n q">
                    <button class="link" aria-label={`Trade ${n}`} onClick={() => choose(n)}>
                      {count(n)}
                    </button>
                  </td>
                  <td>
                    {minute(roundStart(t.market_slug, t.entry_time))}
                    {t.coverage !== undefined && (
                      <span title={poorly(t.coverage)}>
                        <span aria-hidden="true">*</span>
                        <span class="sr"> {poorly(t.coverage)}</span>
                      </span>
                    )}
                  </td>
                  <td class="wide">{t.token_label}</td>
                  <td class="n mid">{price(t.entry_price)}</td>
                  <td class="n wide">{shares(t.shares)}</td>
                  <td class="n mid">{price(t.exit_price)}</td>
                  <td class="q">{exitWords(t.exit_reason)}</td>
                  <td class="n wide q">{span(instant(t.exit_time) - instant(t.entry_time))}</td>
                  <td class="n wide q">{fixed(t.fees, 2)}</td>
                  <td class={'n ' + (t.pnl < 0 ? 'loss' : t.pnl > 0 ? 'gain' : '')}>
                    {usd(t.pnl)}
                  </td>
                  <td class="pb wide">
                    <i
                      class={t.pnl < 0 ? 'l' : 'g'}
                      style={{ width: `${(Math.abs(t.pnl) / most) * 50}%` }}
                    />
                  </td>
                </tr>
              )
            })}
            {to < order.length && (
              <tr aria-hidden="true">
                <td
                  colSpan={11}
                  style={{ height: (order.length - to) * HIGH + 'px', padding: 0 }}
                />
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {marked && <p class="q small">* The round was recorded for less than 90% of its length.</p>}
    </section>
  )
}
