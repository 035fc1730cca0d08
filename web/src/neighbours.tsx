// What the neighbours of a sentence made: a sweep of two of its numbers as a grid.
import { Choose, first, type Axis } from './axes'
import { Grid, nameOf } from './grid'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  call,
  Refused,
  sweepEvents,
  sweepsPath,
  type Page,
  type Parsed,
  type Run,
  type SweepRun,
  type SweepWithResult,
} from './api'
import { load, useBench, write } from './bench'
import { placesOf, rewritten, valueOf, valuesOf, valueWords, type Place } from './places'
import { prose } from './prose'
import { useKeydown } from './keyboard'
import { go, replace } from './router'
import { choiceOf, optionWords } from './strategy'
import { clock, count, counted, NONE } from './text'
import { Problem } from './problem'
import { Warnings } from './warnings'

const over = (s: SweepRun['state']) => s !== 'queued' && s !== 'running'

/** bodyOf is what a sweep of a run's sentence asks for. */
function bodyOf(run: Run, vary: { field: string; values: number[] }[]): Record<string, unknown> {
  const { baseline: _, from, to, ...rest } = choiceOf(run.options)
  return {
    prompt: run.prompt,
    sampleSize: run.sample_size,
    budget: run.budget,
    vary,
    options: { ...rest, ...(from && { from }), ...(to && { to }) },
  }
}

export function Neighbours({ id, sweep: asked }: { id: string; sweep: string }) {
  const s = useBench()
  const run = s.run?.id === id ? s.run : undefined
  const [parsed, read] = useState<Parsed>()
  const [axes, vary] = useState<[Axis, Axis | undefined]>()
  const [got, put] = useState<SweepRun | SweepWithResult>()
  const [lost, lose] = useState(false)
  const [problem, fail] = useState<Refused>()
  const [said, say] = useState('')
  const refuse = (err: unknown) => {
    if (err instanceof Refused) fail(err)
    else throw err
  }
  const here = useRef(true)
  const starting = useRef(false)
  const halted = useRef(false) // before it had a name
  useLayoutEffect(() => {
    void load(id)
    return () => {
      here.current = false
    }
  }, [])
  useEffect(() => {
    document.title = 'Neighbours · Ladderback'
  }, [])
  const prompt = run?.prompt
  useEffect(() => {
    if (!prompt) return
    let live = true
    call<Parsed>('/ai/parse', { method: 'POST', body: { prompt, parser: 'rules' } })
      .then((p) => {
        if (!live) return
        read(p)
        vary(first(placesOf(p)))
      })
      .catch((err: unknown) => live && refuse(err))
    return () => {
      live = false
    }
  }, [prompt])
  const places = useMemo(() => (parsed ? placesOf(parsed) : []), [parsed])
  // The sweep of the address, or the newest of this sentence.
  useLayoutEffect(() => {
    if (!prompt) return
    let live = true
    put((g) => (g?.id === asked ? g : undefined))
    const find = asked
      ? call<SweepWithResult>(`${sweepsPath}/${asked}`)
      : call<Page<SweepRun>>(`${sweepsPath}?limit=100`).then(({ data }) => {
          const one = data.find(
            (x) =>
              x.prompt === prompt &&
              x.axes.length <= 2 &&
              x.state !== 'failed' &&
              x.state !== 'cancelled',
          )
          return one && call<SweepWithResult>(`${sweepsPath}/${one.id}`)
        })
    // What it has come to since it was asked for stays.
    find
      .then(
        (g) =>
          live &&
          g &&
          put((was) => (was?.id === g.id && over(was.state) && !over(g.state) ? was : g)),
      )
      .catch((err: unknown) => live && refuse(err))
    return () => {
      live = false
    }
  }, [prompt, asked])
  const busy = got !== undefined && !over(got.state)
  const at = got?.id
  useLayoutEffect(() => {
    if (!busy || !at) return
    let live = true
    let again: ReturnType<typeof setTimeout> | undefined
    let source: EventSource | undefined
    const end = () => call<SweepWithResult>(`${sweepsPath}/${at}`).then((g) => live && put(g))
    const follow = () => {
      source = sweepEvents(at)
      source.onopen = () => lose(false)
      source.addEventListener('state', (e) => {
        const { state } = JSON.parse((e as MessageEvent<string>).data) as { state: Run['state'] }
        if (!over(state)) return
        source?.close()
        end().catch(() => {
          if (live) again = setTimeout(follow, 1500)
        })
      })
      source.addEventListener('progress', (e) => {
        const p = JSON.parse((e as MessageEvent<string>).data) as { done: number; total: number }
        put((g) => g && { ...g, state: 'running', ...p })
      })
      source.onerror = () => {
        lose(true)
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(follow, 1500)
      }
    }
    follow()
    return () => {
      live = false
      source?.close()
      clearTimeout(again)
    }
  }, [busy, at])
  const cancel = (which: string) =>
    void call(`${sweepsPath}/${which}/cancel`, { method: 'POST' }).catch(refuse)
  useKeydown((e) => {
    if (e.key !== 'Escape' || (e.target as HTMLElement).matches('input, select')) return
    if (starting.current) halted.current = true
    else if (busy) cancel(got.id)
    else go('/runs/' + id)
  })
  const of = (a: Axis | undefined) => {
    const p = a && places.find((x) => x.field === a.field)
    return p ? valuesOf(p, Number(a.step), a.count) : []
  }
  const cells = axes ? of(axes[0]).length * (axes[1] ? of(axes[1]).length : 1) : 0
  const start = async () => {
    if (!run || !axes || starting.current) return
    starting.current = true
    halted.current = false
    fail(undefined)
    say('')
    try {
      const made = await call<SweepRun>(sweepsPath, {
        method: 'POST',
        body: bodyOf(
          run,
          axes.filter((a) => a !== undefined).map((a) => ({ field: a.field, values: of(a) })),
        ),
      })
      if (!here.current) return // it is found when somebody comes back
      put(made)
      replace(`/runs/${id}/neighbours?sweep=${made.id}`)
      if (halted.current) cancel(made.id)
    } catch (err) {
      refuse(err)
    } finally {
      starting.current = false
    }
  }
  const result = got && 'result' in got ? got.result : null
  const words_ = got && 'words' in got ? got.words : undefined
  const pick = async (values: number[]) => {
    if (!run || !result) return
    const changes = result.sweep.axes.map(
      (a, k) => [places.find((p) => p.field === a.field), values[k]!] as const,
    )
    if (changes.some(([p]) => !p))
      return say('The sentence does not say all of these numbers in figures.')
    const to = rewritten(run.prompt, changes as [Place, number][])
    try {
      const p = await call<Parsed>('/ai/parse', {
        method: 'POST',
        body: { prompt: to, parser: 'rules' },
      })
      if (changes.some(([place, v]) => valueOf(p.strategy, place!.field) !== v))
        return say('The rewritten sentence reads differently; change the numbers by hand.')
    } catch (err) {
      return refuse(err)
    }
    if (!here.current) return
    write(to)
    go('/runs/' + id)
    queueMicrotask(() => document.getElementById('sentence')?.focus()) // after the page has been drawn, and before the next key
  }
  if (s.missing)
    return (
      <main id="result" class="page" tabIndex={-1}>
        <h1>No such run</h1>
        <p class="lead">
          It was forgotten, or it belongs to another organization. <a href="/">To the workbench</a>
        </p>
      </main>
    )
  const sweep = parsed || problem ? result?.sweep : undefined // a cell can be chosen as soon as it is there
  const value = (field: string, v: number | null | undefined) =>
    v == null ? NONE : valueWords(places.find((p) => p.field === field)?.unit ?? 'number', v)
  const words = sweep ? words_ : undefined
  const head = words?.verdict ?? 'Neighbours'
  return (
    <main id="result" class="page" tabIndex={-1} aria-busy={!run || busy}>
      {run && (
        <div class="meta">
          <span>
            Neighbours of <a href={'/runs/' + id}>the run of {clock(run.created_at)} UTC</a>
          </span>
        </div>
      )}
      <h1>{head}</h1>
      {words && (
        <>
          <p class="lead">{prose(words.why)}</p>
          <p class="why q">{prose(words.luck)}</p>
        </>
      )}
      {run && <p class="said">{run.prompt}</p>}
      {(problem || s.problem) && <Problem problem={(problem ?? s.problem)!} until={0} />}
      {axes && places.length > 0 && (
        <form
          class="axes"
          onSubmit={(e) => {
            e.preventDefault()
            void start()
          }}
        >
          {axes[1] && (
            <Choose
              label="down"
              places={places}
              axis={axes[0]}
              other={axes[1].field}
              put={(a) => vary([a, axes[1]])}
            />
          )}
          <Choose
            label="across"
            places={places}
            axis={axes[1] ?? axes[0]}
            other={axes[1] ? axes[0].field : ''}
            put={(a) => vary(axes[1] ? [axes[0], a] : [a, undefined])}
          />
          <button class="run" disabled={busy || cells < 2}>
            <span>{`Try ${counted(cells, 'variant')} over ${counted(run?.sample_size ?? 0, 'market')}`}</span>
          </button>
        </form>
      )}
      {parsed && places.length === 0 && (
        <p class="q pad">
          None of the numbers of this sentence is written in figures; there is nothing to vary.
        </p>
      )}
      {busy && got && (
        <div class="progress pad" role="status">
          <div class="row">
            <span class="num">
              {got.state === 'queued'
                ? 'Waiting for a place to run'
                : got.total
                  ? `${count(got.done)} of ${counted(got.total, 'round')}`
                  : 'Starting'}
            </span>
            <button onClick={() => cancel(got.id)}>Stop</button>
          </div>
          {lost && (
            <p class="q small">
              Connection lost; trying again. The sweep goes on as soon as the server is back.
            </p>
          )}
          <progress
            max={1}
            value={got.total ? got.done / got.total : undefined}
            aria-label="Progress"
          />
        </div>
      )}
      {got && (got.state === 'failed' || got.state === 'cancelled') && (
        <p class="pad">
          {got.state === 'failed' ? (
            <>
              <b class="bad">Failed.</b> {got.error}
            </>
          ) : (
            'Stopped; nothing of it is kept.'
          )}
        </p>
      )}
      {sweep && sweep.variants.length > 0 && (
        <section>
          <Grid key={got!.id} sweep={sweep} places={places} pick={(v) => void pick(v)} />
          <p class="key pad">
            <span>◆ survives: better than luck though one of many</span>
            <span>• the interval excludes zero, as if it were the only one tried</span>
            <span>pale: fewer than 30 trades or 20 round ends</span>
            <span>framed: the sentence itself</span>
            <span>empty: no valid strategy</span>
          </p>
          <p class="q small">Choose a cell to write its numbers into the sentence; ← → ↑ ↓ move.</p>
          <p role="status" class="loss">
            {said}
          </p>
          <ul class="facts">
            {[
              sweep.best &&
                `The best: ${sweep.axes.map((a, k) => `${nameOf(places, a.field)} ${value(a.field, sweep.best!.values[k])}`).join(', ')}. ${words?.best}`,
              words?.survive,
              words?.plateau,
              words?.walk,
              words?.counts,
            ]
              .filter((t) => t != null && t !== '')
              .map((t) => (
                <li key={t}>{prose(t!)}</li>
              ))}
          </ul>
          <Warnings list={words?.warnings ?? []} />
          <footer class="rc">
            <span>
              {optionWords({ ...choiceOf({ ...run!.options }), baseline: true }).join(' · ')}
            </span>
            <span>blocks of {words?.blocks}</span>
            <span>
              report <code title={sweep.receipt.report}>{sweep.receipt.report.slice(0, 8)}</code>
            </span>
          </footer>
        </section>
      )}
    </main>
  )
}
