// One trade down to the book that it met.
import { useLayoutEffect, useState } from 'preact/hooks'
import { json, Refused, type Explanation, type From, type Trade } from './api'
import { Heat } from './heat'
import { Ladder } from './ladder'
import { Lives } from './lives'
import { prose } from './prose'
import { RULES, type Rule } from './rules'
import { count, exitWords, fine, fixed, minute, roundStart, shares, usd } from './text'

/** OneTrade shows a trade down to the book that it met. */
export function OneTrade({
  from,
  trades,
  n,
  rule: own,
  choose,
}: {
  from: From
  trades: readonly Trade[]
  n: number
  rule: string | undefined // for what rests
  choose: (n: number) => void
}) {
  const t = trades[n - 1]
  const [x, put] = useState<{ of: string; x: Explanation }>()
  const [failed, fail] = useState('')
  const [followed, follow] = useState<{ run: string; rule: Rule }>() // as somebody chose in a run
  const rule =
    followed?.run === from.name ? followed.rule : (RULES.find((r) => r === own) ?? 'through')
  const of = from.name + '/' + n
  useLayoutEffect(() => {
    if (!t) return
    const stop = new AbortController()
    fail('')
    json<Explanation>(from.trade(n), { signal: stop.signal })
      .then((answer) => put({ of, x: answer }))
      .catch((err: unknown) => {
        if (!stop.signal.aborted && err instanceof Refused) fail(err.message)
      })
    return () => stop.abort()
  }, [of])
  if (!t) return null
  const mine = x?.of === of ? x.x : undefined
  return (
    <section id="trade" aria-label="Trade">
      <h2 class="num">
        Trade {count(n)} of {count(trades.length)}{' '}
        <small>
          {t.token_label}, round of{' '}
          {from.market ? (
            <a href={from.market(t.market_slug, n)}>
              {minute(roundStart(t.market_slug, t.entry_time))}
            </a>
          ) : (
            minute(roundStart(t.market_slug, t.entry_time))
          )}{' '}
          UTC, {exitWords(t.exit_reason)}
        </small>
        <span class={'push ' + (t.pnl < 0 ? 'loss' : 'gain')}>{usd(t.pnl)}</span>
        <span class="pn">
          <button aria-label="Trade before" disabled={n === 1} onClick={() => choose(n - 1)}>
            ‹
          </button>
          <button
            aria-label="Next trade"
            disabled={n === trades.length}
            onClick={() => choose(n + 1)}
          >
            ›
          </button>
        </span>
      </h2>
      <div class="heat">
        <Heat
          key={of}
          t={t}
          x={mine}
          rule={rule}
          books={from.books(n, t.token_id)}
          gaps={from.gaps?.(t.market_id)}
        />
        <div class="walk">
          {mine?.orders.map((o, i) => (
            <Ladder
              key={i}
              order={o}
              title={
                o.action === 'buy'
                  ? 'The asks it met'
                  : o.retry
                    ? 'The bids it met again'
                    : 'The bids it sold into'
              }
            />
          ))}
          {mine?.settlement && (
            <>
              <h3>Settlement</h3>
              <p>
                {shares(mine.settlement.shares)} shares at {fixed(mine.settlement.payout, 2)} at{' '}
                {fine(mine.settlement.time, 0)}: {prose(usd(mine.settlement.proceeds))}
              </p>
            </>
          )}
          {failed && <p class="loss">{failed}</p>}
        </div>
        {mine?.resting && (
          <Lives
            resting={mine.resting}
            rule={rule}
            choose={(r) => follow({ run: from.name, rule: r })}
          />
        )}
      </div>
    </section>
  )
}
