// The workbench: the sentence on the left, the run on the right; also a run's own page.
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { call, ofRun, Refused, runsPath } from './api'
import { blank, choose, load, loadTries, now, retry, set, stop, useBench, type Live } from './bench'
import { Dock, Editor, examples } from './editor'
import { go } from './router'
import { Download, Evidence, headline, verdict } from './run'
import { clock, count, span } from './text'

function Progress({ live }: { live: Live }) {
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
      {live.lost && <p class="q small">Connection lost. The run goes on; trying again …</p>}
      <progress max={1} value={live.total ? part : undefined} aria-label="Progress" />
    </div>
  )
}

/** Problem says why a request was refused, and what to do about it. */
export function Problem({ problem, until }: { problem: Refused; until: number }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const t = setInterval(() => tick((n) => n + 1), 500)
    return () => clearInterval(t)
  }, [until])
  const left = Math.ceil((until - Date.now()) / 1000)
  const head =
    problem.code === 'plan_required'
      ? 'This plan has no backtests'
      : problem.status === 429
        ? 'Too many requests'
        : problem.status === 503
          ? 'Not available at the moment'
          : problem.status === 0
            ? 'The server does not answer'
            : problem.status === 401
              ? 'Signed out'
              : 'Refused'
  return (
    <div class="problem" role="alert">
      <b>{head}.</b>{' '}
      {problem.status === 0
        ? 'Is it still running? What you have typed stays here.'
        : problem.message}
      {left > 0 && <span class="num"> Again in {left} s.</span>}
    </div>
  )
}

export interface Link {
  path: string
  url: string
}

async function share(id: string): Promise<Link> {
  const made = await call<{ token: string }>(`${runsPath}/${id}/share`, { method: 'POST' })
  return { path: '/r/' + made.token, url: location.origin + '/r/' + made.token }
}

export const actions: { share?: () => void; before?: () => void } = {}

/** cached tells whether a run was answered with the result of an earlier one; undefined: the server knows neither that nor second tries. */
const cached = (run: object) => (run as { cached?: boolean }).cached

function Meta({ id }: { id: string }) {
  const s = useBench()
  const run = s.run
  const [link, put] = useState<Link | undefined>()
  const [said, say] = useState('')
  if (!run) return null
  const took =
    run.started_at && run.ended_at
      ? (Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1000
      : undefined
  const before = s.tries?.find(
    (t) =>
      t.id !== id &&
      t.state === 'done' &&
      t.coin === run.coin &&
      t.market_type === run.market_type &&
      t.created_at < run.created_at,
  )
  const attempt = (f: () => Promise<void>) =>
    f().catch((err: unknown) => err instanceof Refused && say(err.message))
  const told = (shared: boolean) => {
    if (now().run?.id === id) set({ run: { ...now().run!, shared } })
  }
  const doShare = () =>
    void attempt(async () => {
      const made = await share(id)
      put(made)
      told(true)
      try {
        await navigator.clipboard.writeText(made.url)
        say('Copied. Whoever has the link can read this run.')
      } catch {
        say('Whoever has the link can read this run.')
      }
    })
  const withdraw = () =>
    void attempt(async () => {
      await call(`${runsPath}/${id}/share`, { method: 'DELETE' })
      put(undefined)
      told(false)
      say('The link leads nowhere from now on.')
    })
  const forget = () =>
    void attempt(async () => {
      if (!confirm('Forget this run for good, with its result and its link?')) return
      await call(`${runsPath}/${id}`, { method: 'DELETE' })
      const here = now().run?.id === id
      if (here) set({ run: undefined, trade: 1 })
      await loadTries()
      if (here && location.pathname === '/runs/' + id) go('/')
    })
  actions.share = doShare
  if (before) actions.before = () => go(`/runs/${before.id}/compare/${id}`)
  else delete actions.before
  return (
    <>
      <div class="meta">
        <span class="num">
          Run {id.replace('run_', '').slice(0, 8)} · {clock(run.created_at)} UTC
          {run.result && ` · ${count(run.result.report.markets_found)} rounds`}
          {took !== undefined && ` in ${took < 10 ? took.toFixed(2) : took.toFixed(0)} s`}
          {run.result &&
            cached(run) &&
            ' · the result of an earlier run of the same strategy, options and data'}
        </span>
        <span class="acts">
          {run.result && <button onClick={doShare}>{run.shared ? 'New link' : 'Share'}</button>}
          {run.shared && <button onClick={withdraw}>Withdraw link</button>}
          {run.result && (
            <a class="button" href={`/runs/${id}/neighbours`}>
              Neighbours
            </a>
          )}
          {before && (
            <a class="button" href={`/runs/${before.id}/compare/${id}`}>
              Compare
            </a>
          )}
          {run.result && <Download body={run.result} name={id} />}
          <button onClick={forget}>Forget</button>
        </span>
      </div>
      {(link || said) && (
        <p class="link" role="status">
          {link && (
            <a href={link.path} target="_blank" rel="noreferrer">
              {link.url}
            </a>
          )}{' '}
          {said}
        </p>
      )}
    </>
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
      })
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
  // What is typed on the left draws nothing anew on the right.
  const evidence = useMemo(
    () =>
      run &&
      body && (
        <Evidence
          body={body}
          from={ofRun(run.id)}
          meta={<Meta key={run.id} id={run.id} />}
          chosen={s.trade}
          choose={choose}
          stale={stale}
        />
      ),
    [body, s.trade, stale],
  )
  return (
    <div class="frame">
      <Editor />
      <main id="result" tabIndex={-1}>
        <p class="sr" role="status">
          {!s.live && body ? `${verdict(body.report)[0]}. ${headline(body.report)}` : ''}
        </p>
        {s.live && <Progress live={s.live} />}
        {s.problem && <Problem problem={s.problem} until={s.until} />}
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
            </div>
          )}
      </main>
      <Dock />
    </div>
  )
}

export { blank, examples }
