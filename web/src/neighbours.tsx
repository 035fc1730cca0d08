// What the neighbours of a sentence made: a sweep of two of its numbers as a grid.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  call,
  Refused,
  sweepEvents,
  sweepsPath,
  type Page,
  type Parsed,
  type Run,
  type Sweep,
  type SweepRun,
  type SweepWithResult,
} from './api'
import { load, useBench, write } from './bench'
import { placesOf, rewritten, stepOf, valueOf, valuesOf, valueWords, type Place } from './places'
import { prose } from './prose'
import { useKeydown } from './keyboard'
import { go, replace } from './router'
import { optionWords, choiceOf, plain } from './strategy'
import {
  blockWords,
  bestWords,
  countsWords,
  luckWords,
  plateauWords,
  sweepVerdict,
  walkWords,
} from './sweepwords'
import { clock, counted, interval, signed, usd } from './text'
import { Problem } from './workbench'

type Variant = Sweep['variants'][number]

const over = (s: SweepRun['state']) => s !== 'queued' && s !== 'running'

/** nameOf names a field as the sentence does, where it has a place in it. */
const nameOf = (places: readonly Place[], field: string) =>
  places.find((p) => p.field === field)?.name ?? field.replaceAll('_', ' ')

function Grid({
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
        : `${usd(v.mean_pnl)} per trade over ${counted(v.trades, 'trade')}${v.eligible ? `, 95% interval ${interval(v.mean_pnl_interval, usd)}` : ', too few for a verdict'}${sure ? ', which excludes zero' : ''}`
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
          {sure && ' •'}
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

interface Axis {
  field: string
  step: string
  count: number
}

function Choose({
  label,
  places,
  axis,
  other,
  put,
}: {
  label: string
  places: readonly Place[]
  axis: Axis
  other: string
  put: (a: Axis) => void
}) {
  const p = places.find((x) => x.field === axis.field)!
  const unit = { price: 'USD', seconds: 's', usd: 'USD', number: '' }[p.unit]
  const values = valuesOf(p, Number(axis.step), axis.count)
  return (
    <fieldset>
      <legend class="lab">{label}</legend>
      <select
        aria-label={label}
        value={axis.field}
        onChange={(e) => {
          const to = places.find((x) => x.field === e.currentTarget.value)!
          put({ ...axis, field: to.field, step: plain(stepOf(to)) })
        }}
      >
        {places
          .filter((x) => x.field !== other)
          .map((x) => (
            <option key={x.field} value={x.field}>
              {x.name}
            </option>
          ))}
      </select>
      <label>
        by{' '}
        <input
          type="text"
          inputMode="decimal"
          class="short"
          aria-label={`Step ${label}${unit && ', ' + unit}`}
          value={axis.step}
          onChange={(e) => {
            const v = Number(e.currentTarget.value)
            put({ ...axis, step: v > 0 ? plain(v) : plain(stepOf(p)) })
          }}
        />{' '}
        {unit}
      </label>
      <select
        aria-label={`Number of values ${label}`}
        value={String(axis.count)}
        onChange={(e) => put({ ...axis, count: Number(e.currentTarget.value) })}
      >
        {[3, 5, 7, 9].map((n) => (
          <option key={n} value={String(n)}>
            {n} values
          </option>
        ))}
      </select>
      <span class="q num">{values.map((v) => valueWords(p.unit, v)).join(' ')}</span>
    </fieldset>
  )
}

/** first chooses what is varied at first: an entry and an exit, where there are such. */
function first(places: readonly Place[]): [Axis, Axis | undefined] | undefined {
  const down =
    places.find((p) => p.field.endsWith('.threshold') && p.unit !== 'seconds') ?? places[0]
  if (!down) return undefined
  const rest = places.filter((p) => p !== down)
  const across =
    rest.find((p) => p.field.startsWith('exit.') && p.unit === 'price') ??
    rest.find((p) => p.field.startsWith('exit.')) ??
    rest[0]
  const axis = (p: Place): Axis => ({ field: p.field, step: plain(stepOf(p)), count: 5 })
  return [axis(down), across && axis(across)]
}

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
  const [head, why] = sweep ? sweepVerdict(sweep) : ['Neighbours', '']
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
      {sweep && (
        <>
          <p class="lead">{prose(why)}</p>
          <p class="why q">{prose(luckWords(sweep))}</p>
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
                  ? `${got.done} of ${counted(got.total, 'round')}`
                  : 'Starting'}
            </span>
            <button onClick={() => cancel(got.id)}>Stop</button>
          </div>
          {lost && <p class="q small">Connection lost. The sweep goes on; trying again …</p>}
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
              bestWords(
                sweep,
                (f) => nameOf(places, f),
                (f, v) => valueWords(places.find((p) => p.field === f)?.unit ?? 'number', v),
              ),
              plateauWords(sweep),
              walkWords(sweep),
              countsWords(sweep),
            ]
              .filter(Boolean)
              .map((t) => (
                <li key={t}>{prose(t)}</li>
              ))}
          </ul>
          {sweep.warnings.some((w) => w.code !== 'simulated') && (
            <ul class="warns" aria-label="Warnings">
              {sweep.warnings
                .filter((w) => w.code !== 'simulated')
                .map((w) => (
                  <li key={w.code}>{prose(w.message)}</li>
                ))}
            </ul>
          )}
          <footer class="rc">
            <span>
              {optionWords({ ...choiceOf({ ...run!.options }), baseline: true }).join(' · ')}
            </span>
            <span>blocks of {blockWords(sweep)}</span>
            <span>
              report <code title={sweep.receipt.report}>{sweep.receipt.report.slice(0, 8)}</code>
            </span>
          </footer>
        </section>
      )}
    </main>
  )
}
