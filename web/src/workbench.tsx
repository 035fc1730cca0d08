// The workbench: the sentence on the left, the run on the right; also a run's own page.
import { Fragment, type ComponentChildren, type JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { ofRun, type Remedy, type Run } from './api'
import { choose, load, loadTries, now, retry, set, useBench, write, type State } from './bench'
import { Editor } from './editor'
import { Evidence } from './evidence'
import { cached, Meta } from './meta'
import { Problem } from './problem'
import { Progress } from './progress'
import { replace } from './router'
import { Dock, runNow } from './runbutton'
import { choiceOf, optionWords, type Choice } from './strategy'
import { count } from './text'

/** shownLater is a part whose script comes when it is first shown. */
const shownLater = <P extends object>(load: () => Promise<(p: P) => JSX.Element | null>) =>
  function Later(p: P) {
    const [Part, came] = useState<(p: P) => JSX.Element | null>()
    useEffect(() => {
      void load()
        .then((part) => came(() => part))
        .catch(() => undefined)
    }, [])
    return Part ? <Part {...p} /> : null
  }
const Prices = shownLater(async () => (await import('./prices')).Prices)
const Record = shownLater(async () => (await import('./record')).Record)

/** Fold shows what is in it from when it is first opened. */
function Fold({ name, children }: { name: string; children: ComponentChildren }) {
  const [opened, open] = useState(false)
  return (
    <details class="astable later" onToggle={(e) => open(e.currentTarget.open)}>
      <summary>{name}</summary>
      {opened && children}
    </details>
  )
}

let begin = location.pathname === '/' // nothing was shown before, nor asked for

/** differ tells whether the sentence or the options that stand there are others than those of a run. */
const differ = (s: State, run: Run): boolean =>
  s.prompt.trim() !== run.prompt.trim() ||
  optionWords(s.options).join() !== optionWords(choiceOf(run.options)).join()

/** Other says that the result is not that of what is typed. */
function Other() {
  return (
    <p class="other">
      <b>Result of another sentence</b> than the one that stands there now.{' '}
      <button onClick={() => void runNow()}>Run it</button>{' '}
      <button
        onClick={() => {
          const run = now().run
          if (!run) return
          set({ options: choiceOf(run.options) })
          write(run.prompt)
        }}
      >
        Back to this one
      </button>
    </p>
  )
}

/** instead runs the run's sentence with other options. */
function instead(r: Remedy): void {
  const run = now().run
  if (!run) return
  write(run.prompt)
  set({ options: { ...choiceOf(run.options), ...(r.options as Partial<Choice>) } })
  void runNow()
}

/** NoPlan says what somebody can do whose plan has no backtests. */
function NoPlan() {
  return (
    <div class="empty">
      <h1>Your plan has no backtests</h1>
      <p>
        A sentence is read here on every plan; running it needs plan Pro or above. Ask the operator
        of this server for it. Markets, their books and the API are open to you:
      </p>
      <p>
        <a class="button" href="/markets">
          Look at the markets
        </a>{' '}
        <a class="button" href="/docs" target="_self">
          Read the API
        </a>
      </p>
    </div>
  )
}

export function Workbench({ id }: { id: string }) {
  const s = useBench()
  useLayoutEffect(() => {
    if (!id && now().missing) set({ missing: false })
    if (id) void load(id)
    else if (!now().run && !now().live)
      void loadTries().then(() => {
        const newest = now().tries?.find((t) => t.state === 'done')
        if (newest && location.pathname === '/' && now().prompt === '' && !now().live)
          void load(newest.id)
        // Who cannot run anything begins where there is something to see.
        if (begin && now().problem?.code === 'plan_required' && location.pathname === '/')
          replace('/markets')
        begin = false
      })
    else begin = false
  }, [id])
  useEffect(() => {
    const head = s.live
      ? 'Running'
      : s.run?.result
        ? document.getElementById('verdict')?.textContent
        : ''
    document.title = (head ? head + ' · ' : '') + 'Ladderback'
  })
  const run = s.run
  const body = run?.result
  const stale = Boolean(s.live)
  const differs = !stale && run !== undefined && differ(s, run)
  // What is typed on the left draws nothing anew on the right.
  const evidence = useMemo(
    () =>
      run &&
      body &&
      run.words && (
        <Evidence
          body={body}
          words={run.words}
          from={ofRun(run.id)}
          meta={<Meta key={run.id} id={run.id} />}
          chosen={s.trade}
          choose={choose}
          stale={stale}
          other={differs && <Other />}
          replay={instead}
        />
      ),
    [body, s.trade, stale, differs],
  )
  const refused = s.problem?.code === 'plan_required'
  return (
    <div class="frame">
      <Editor id={id} />
      <main id="result" tabIndex={-1}>
        <p class="sr" role="status">
          {!s.live && body ? `${run?.words?.verdict}. ${run?.words?.headline}` : ''}
        </p>
        {s.live && <Progress live={s.live} />}
        {refused && <NoPlan />}
        {s.problem && !refused && <Problem problem={s.problem} until={s.until} />}
        {s.missing && (
          <div class="empty">
            <h1>No such run</h1>
            <p>
              It was forgotten, or it belongs to another organization.{' '}
              <a href="/">To the workbench</a>
            </p>
          </div>
        )}
        {evidence}
        {run && body && !stale && (
          <Fragment key={run.coin + run.market_type}>
            <Fold name={`Are the prices of ${run.coin} ${run.market_type} right at all?`}>
              <Prices coin={run.coin} type={run.market_type} />
            </Fold>
            <Fold name={`What was tried on ${run.coin} ${run.market_type}?`}>
              <Record key={run.id} coin={run.coin} type={run.market_type} />
            </Fold>
          </Fragment>
        )}
        {run && !body && (
          <div class={'empty' + (stale ? ' stale' : '')}>
            <Meta key={run.id} id={run.id} />
            <h1 id="verdict" tabIndex={-1}>
              {run.state === 'cancelled' ? 'Cancelled' : 'Failed'}
            </h1>
            <p>
              {run.state === 'cancelled'
                ? `Stopped after ${count(run.done)} of ${count(run.total)} rounds; nothing of it is kept but the sentence.`
                : (run.error ?? 'The run ended with an error.')}
            </p>
            {run.state === 'failed' && !stale && cached(run) !== undefined && (
              <p>
                <button onClick={() => void retry(run.id)}>Try again</button>
              </p>
            )}
          </div>
        )}
        {!run &&
          !s.live &&
          !s.missing &&
          !s.problem &&
          s.tries !== undefined &&
          !s.tries.some((t) => t.state === 'done') && (
            <div class="empty">
              <h1>What would it have earned?</h1>
              <p>
                Write what to buy, when, and when to get out. Every word that matters is underlined
                as it is read; then run it against the order books that were really there.
              </p>
              <p class="q">{s.tries.length === 0 ? 'Nothing has been run yet.' : ''}</p>
              <Prices />
            </div>
          )}
      </main>
      <Dock />
    </div>
  )
}
