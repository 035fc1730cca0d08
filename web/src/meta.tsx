// When a run was made, and what can be done with it.
import { useState } from 'preact/hooks'
import { call, Refused, runsPath } from './api'
import { loadTries, now, set, useBench } from './bench'
import { Download } from './download'
import { Forget } from './forget'
import { go } from './router'
import { clock, count } from './text'

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
export const cached = (run: object) => (run as { cached?: boolean }).cached

export function Meta({ id }: { id: string }) {
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
          <Forget forget={forget} />
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
