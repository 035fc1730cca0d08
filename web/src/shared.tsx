// A run whose link was handed on: read-only, without a session, without its owner.
import { useEffect, useState } from 'preact/hooks'
import { ofLink, Refused, sharedRun, type Backtest, type ReportWords } from './api'
import { Evidence } from './evidence'
import { Brand } from './signin'
import { clock } from './text'

export function Shared({ token }: { token: string }) {
  const [got, put] = useState<{ created_at: string; result: Backtest; words?: ReportWords }>()
  const [problem, fail] = useState<Refused>()
  const [trade, choose] = useState(1)
  useEffect(() => {
    let live = true
    sharedRun(token)
      .then((s) => live && put(s))
      .catch((err: unknown) => live && err instanceof Refused && fail(err))
    return () => {
      live = false
    }
  }, [token])
  useEffect(() => {
    document.title = (got?.words ? got.words.verdict + ' · ' : '') + 'Shared run · Ladderback'
  }, [got])
  const simulated = got?.result.report.warnings.find((w) => w.code === 'simulated')
  return (
    <>
      <header class="top">
        <Brand />
        <p class="q">replays trading sentences against the order books that were really there</p>
      </header>
      {simulated && (
        <aside class="simulated" aria-label="Simulated data">
          <b>SIMULATED DATA.</b> {simulated.message}
        </aside>
      )}
      <main class="page" id="result">
        {problem && (
          <div class="empty">
            <h1>
              {problem.status === 404 ? 'This link leads nowhere' : 'Not available at the moment'}
            </h1>
            <p>
              {problem.status === 404
                ? 'It was withdrawn, or the run was forgotten.'
                : problem.message}
            </p>
          </div>
        )}
        {got?.words && (
          <Evidence
            body={got.result}
            words={got.words}
            from={ofLink(token)}
            stale={false}
            chosen={trade}
            choose={(n) => n >= 1 && n <= got.result.report.trades.length && choose(n)}
            meta={
              <div class="meta">
                <span>Shared run · {clock(got.created_at)} UTC</span>
              </div>
            }
          />
        )}
      </main>
    </>
  )
}
