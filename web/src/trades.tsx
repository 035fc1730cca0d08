// All trades of a run: only the rows in view are in the document.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Trade } from './api'
import { scaleOf } from './charts'
import {
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
const SPARE = 8

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
  const [HIGH, scale] = useState(ROW)
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
    const el = box.current!
    const at = (chosen - 1) * HIGH
    if (at < el.scrollTop) el.scrollTop = at
    else if (at + 2 * HIGH > el.scrollTop + el.clientHeight)
      el.scrollTop = at + 2 * HIGH - el.clientHeight
  }, [chosen, HIGH])
  const from = Math.max(0, top - SPARE)
  const to = Math.min(trades.length, top + Math.ceil(height / HIGH) + 2 * SPARE)
  const most = useMemo(
    () => trades.reduce((m, t) => Math.max(m, Math.abs(t.pnl)), 0) || 1,
    [trades],
  )
  const marked = useMemo(() => trades.some((t) => t.coverage !== undefined), [trades])
  return (
    <>
      <div
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label="Trades"
        ref={box}
        onScroll={(e) => scroll(Math.floor(e.currentTarget.scrollTop / HIGH / SPARE) * SPARE)}
      >
        <table aria-rowcount={trades.length + 1} id="trades">
          <thead>
            <tr aria-rowindex={1}>
              <th class="n">#</th>
              <th>round, UTC</th>
              <th class="wide">side</th>
              <th class="n">entry</th>
              <th class="n wide">shares</th>
              <th class="n">exit</th>
              <th>exit reason</th>
              <th class="n wide">held</th>
              <th class="n wide">fees</th>
              <th class="n">pnl</th>
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
            {trades.slice(from, to).map((t, k) => {
              const n = from + k + 1
              return (
                <tr
                  key={n}
                  class={n === chosen ? 'sel' : ''}
                  aria-rowindex={n + 1}
                  aria-selected={n === chosen}
                  onClick={() => choose(n)}
                  data-n={n}
                >
                  <td class="n q">
                    <button class="link" aria-label={`Trade ${n}`} onClick={() => choose(n)}>
                      {n}
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
                  <td class="n">{price(t.entry_price)}</td>
                  <td class="n wide">{shares(t.shares)}</td>
                  <td class="n">{price(t.exit_price)}</td>
                  <td class="q">{exitWords(t.exit_reason)}</td>
                  <td class="n wide q">{span(instant(t.exit_time) - instant(t.entry_time))}</td>
                  <td class="n wide q">{fixed(t.fees, 2)}</td>
                  <td class={'n ' + (t.pnl < 0 ? 'loss' : t.pnl > 0 ? 'gain' : '')}>
                    {usd(t.pnl)}
                  </td>
                  <td class="pb wide">
                    <i
                      class={t.pnl < 0 ? 'l' : 'g'}
                      style={{ width: `${(Math.abs(t.pnl) / most) * 100}%` }}
                    />
                  </td>
                </tr>
              )
            })}
            {to < trades.length && (
              <tr aria-hidden="true">
                <td
                  colSpan={11}
                  style={{ height: (trades.length - to) * HIGH + 'px', padding: 0 }}
                />
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {marked && <p class="q small">* The round was recorded for less than 90% of its length.</p>}
    </>
  )
}
