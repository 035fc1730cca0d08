// A run as evidence: its sentence, the verdict, the numbers with what bounds them, the
// pictures, the trades. Its sentences come with the report.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Backtest, From, Remedy, ReportWords } from './api'
import { After } from './after'
import { Breakdowns } from './breakdowns'
import { Distribution } from './distribution'
import { Equity } from './equity'
import { Funnel } from './funnel'
import { Interval } from './interval'
import { Looks } from './looks'
import { prose } from './prose'
import { Rules } from './rules'
import { Sensitivity } from './sensitivity'
import { choiceOf, optionWords } from './strategy'
import { fixed, signedRate } from './text'
import { Tiles } from './tiles'
import { OneTrade } from './trade'
import { Trades } from './trades'
import { Remedies, Warnings } from './warnings'

/** toBook brings the book of a trade into sight, where it is not. */
function toBook(): void {
  const box = document.querySelector('#trade .cv')?.getBoundingClientRect()
  if (!box || (box.top >= 0 && box.bottom <= innerHeight)) return
  document.getElementById('trade')!.scrollIntoView({ block: 'start' })
}

/** Next draws what is in it in a task of its own, once what stands above it is painted; until then there is what it showed of another thing. */
function Next({ of, children }: { of: unknown; children: ComponentChildren }) {
  const [drawn, draw] = useState<unknown>()
  const shown = useRef<ComponentChildren>(<div class="rest" />)
  useEffect(() => draw(of), [of])
  if (drawn === of) shown.current = children
  return <>{shown.current}</>
}

export function Evidence({
  body,
  words,
  from,
  meta,
  chosen,
  choose,
  stale,
  other,
  replay,
}: {
  body: Backtest
  words: ReportWords
  from: From
  meta: ComponentChildren
  chosen: number
  choose: (n: number) => void
  stale: boolean
  other?: ComponentChildren // said where the result is of another sentence than the one typed
  replay?: (r: Remedy) => void
}) {
  const r = body.report
  const none = r.trades.length === 0
  const nothing = words.nothing ?? []
  const before = useRef(chosen)
  useEffect(() => {
    if (before.current !== chosen) toBook()
    before.current = chosen
  }, [chosen])
  const receipt = (
    <footer class="rc">
      <span>The same receipt means the same result:</span>
      {(['strategy', 'options', 'data', 'report'] as const).map((k) => (
        <span key={k}>
          {k} <code title={r.receipt[k]}>{r.receipt[k].slice(0, 8)}</code>
        </span>
      ))}
      <span>
        engine <code>{r.receipt.engine}</code>
      </span>
      {r.analysis.return_on_stake != null && (
        <span>return on money staked {signedRate(r.analysis.return_on_stake)}</span>
      )}
      {r.stats.profit_factor != null && (
        <span>profit factor {fixed(r.stats.profit_factor, 2)}</span>
      )}
    </footer>
  )
  return (
    <article
      class={'evidence' + (stale || other ? ' stale' : '')}
      aria-label="Run"
      aria-busy={stale}
    >
      {meta}
      <div class="of">
        <p class="said">{body.prompt}</p>
        <p class="q small">{optionWords(choiceOf(r.options)).join(' · ')}</p>
      </div>
      {other}
      <div class="verdict">
        <div>
          <h1 id="verdict" tabIndex={-1}>
            {words.verdict}
          </h1>
          {nothing.length ? (
            <>
              <p>{prose(nothing[0]!)}</p>
              <ul class="has">
                {nothing.slice(1).map((s) => (
                  <li key={s}>{s}</li>
                ))}
              </ul>
              <Remedies list={words.remedies} replay={replay} />
            </>
          ) : (
            <p>{prose(words.headline)}</p>
          )}
          {words.why && <p class="why">{words.why}</p>}
          <Looks words={words} held={r.options.hold_out} />
        </div>
        {!none && <Interval report={r} />}
      </div>
      {none && (
        <section>
          <h2>Where the markets went</h2>
          <Funnel words={words} />
        </section>
      )}
      {!none && <Tiles words={words} />}
      {r.queue && <Rules queue={r.queue} own={r.options.queue} />}
      <Warnings list={words.warnings} replay={replay} />
      {!none && (
        <>
          <section class="two">
            <div>
              <h2>
                Equity <small>USD after each trade, drawdown below</small>
              </h2>
              <Equity report={r} chosen={chosen} choose={choose} />
              <p class="q small">{prose(words.baseline ?? '')}</p>
            </div>
            <div>
              <h2>Where the markets went</h2>
              <Funnel words={words} />
            </div>
          </section>
          <Next of={r}>
            <div class="pair">
              <Trades trades={r.trades} chosen={chosen} choose={choose} />
              <OneTrade
                from={from}
                trades={r.trades}
                n={Math.min(chosen, r.trades.length)}
                rule={r.options.queue}
                choose={choose}
              />
            </div>
            <Next of={r}>
              <section class="two even">
                <div>
                  <h2>
                    Distribution of pnl <small>number of trades by USD; dashed: the mean</small>
                  </h2>
                  <Distribution report={r} />
                  {r.sensitivity && (
                    <>
                      <h2 class="next">
                        Total pnl under other conditions <small>USD, by budget per trade</small>
                      </h2>
                      <Sensitivity report={r} />
                    </>
                  )}
                </div>
                <div>
                  <h2>Where the pnl came from</h2>
                  <Breakdowns words={words} />
                </div>
              </section>
              <After report={r} chosen={Math.min(chosen, r.trades.length)} />
              {receipt}
            </Next>
          </Next>
        </>
      )}
      {none && receipt}
    </article>
  )
}
