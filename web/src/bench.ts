// The workbench's state: the sentence and what it was read as, the run at work and the
// run on show. One object, told to whoever listens.
import { useLayoutEffect, useState } from 'preact/hooks'
import {
  apart,
  call,
  events,
  Refused,
  runsPath,
  type Page,
  type Parsed,
  type Run,
  type RunWithResult,
} from './api'
import { asOptions, choiceOf, defaults, type Choice } from './strategy'

export interface Reading {
  text: string
  parsed?: Parsed
  refused?: Refused
}

export interface Live {
  id: string
  state: Run['state']
  phase: string
  done: number
  total: number
  since: number
  lost: boolean
}

export interface State {
  prompt: string
  caret: number // of the sentence in UTF-16; −1: not in it
  options: Choice
  reading: Reading | undefined
  live: Live | undefined
  run: RunWithResult | undefined
  problem: Refused | undefined // of starting, following or loading a run
  until: number // when a refused request may be sent again, in milliseconds; 0: at once
  tries: Run[] | undefined // the newest of those like the run on show, of all while there is none; undefined: not known yet
  older: boolean // there are more of them than tries holds
  trade: number // chosen, from 1
  missing: boolean // the run of the address is not there
}

export const blank: State = {
  prompt: '',
  caret: -1,
  options: defaults,
  reading: undefined,
  live: undefined,
  run: undefined,
  problem: undefined,
  until: 0,
  tries: undefined,
  older: false,
  trade: 1,
  missing: false,
}
let state: State = { ...blank }
const listeners = new Set<() => void>()

export const now = () => state
export function set(patch: Partial<State>): void {
  state = { ...state, ...patch }
  for (const f of listeners) f()
}
export function useBench(): State {
  const [, put] = useState(state)
  useLayoutEffect(() => {
    const f = () => put(state)
    listeners.add(f)
    f() // what was drawn below may have changed it already
    return () => void listeners.delete(f)
  }, [])
  return state
}

// Reading: at once, but no more often than the server allows; an answer to an older
// text never takes the place of an answer to a newer one.
const pause = 105
let sent = 0
let shown = 0
let last = -pause
let timer: ReturnType<typeof setTimeout> | undefined

export function read(): void {
  clearTimeout(timer)
  if (state.prompt.trim() === '') {
    shown = ++sent
    set({ reading: undefined })
    return
  }
  const wait = last + pause - performance.now()
  if (wait <= 0) void ask()
  else timer = setTimeout(() => void ask(), wait)
}

async function ask(): Promise<void> {
  last = performance.now()
  const mine = ++sent
  const text = state.prompt
  let reading: Reading
  try {
    reading = {
      text,
      parsed: await call<Parsed>('/ai/parse', {
        method: 'POST',
        body: { prompt: text, parser: 'rules' },
      }),
    }
  } catch (err) {
    if (!(err instanceof Refused)) return
    if (err.status === 429) {
      if (mine === sent) timer = setTimeout(() => void ask(), Math.max(err.retryAfter, 1) * 1000)
      return
    }
    reading = { text, refused: err }
  }
  if (mine < shown) return
  shown = mine
  set({ reading })
}

export function write(prompt: string, caret = -1): void {
  set({ prompt, caret })
  read()
}

function refuse(err: unknown): void {
  if (!(err instanceof Refused)) throw err
  set({ problem: err, until: err.retryAfter > 0 ? Date.now() + err.retryAfter * 1000 : 0 })
}

// A request that was never answered may have been heard: the same one, sent again,
// finds the run that it made.
let unheard = { body: '', name: '' }

/** start begins a run of the sentence and says where it is. */
export async function start(): Promise<string | undefined> {
  if (state.live || state.prompt.trim() === '' || state.until > Date.now()) return undefined
  const asked = { prompt: state.prompt, options: asOptions(state.options) }
  const body = JSON.stringify(asked)
  const name =
    unheard.body === body
      ? unheard.name
      : [...crypto.getRandomValues(new Uint8Array(16))]
          .map((b) => b.toString(16).padStart(2, '0'))
          .join('')
  const live: Live = {
    id: '',
    state: 'queued',
    phase: '',
    done: 0,
    total: 0,
    since: Date.now(),
    lost: false,
  }
  wanted = '' // what is still on its way gives way to this run
  halted = false
  set({ live, problem: undefined, until: 0, missing: false })
  try {
    const run = await call<Run>(runsPath, {
      method: 'POST',
      body: asked,
      headers: { 'Idempotency-Key': name },
    })
    unheard = { body: '', name: '' }
    if (now().live !== live) return undefined // another run was gone to in the meantime
    set({ live: { ...live, id: run.id } })
    follow(run.id)
    if (halted) void stop()
    return run.id
  } catch (err) {
    unheard = err instanceof Refused && err.status === 0 ? { body, name } : { body: '', name: '' }
    if (now().live !== live) return undefined
    set({ live: undefined })
    // A sentence that nobody could read is told beside it, in full.
    if (
      err instanceof Refused &&
      err.status === 400 &&
      (err.at.length > 0 ||
        err.offers.suggestion !== undefined ||
        err.offers.choices !== undefined ||
        err.code === 'unsupported_signal')
    ) {
      shown = ++sent
      set({ reading: { text: state.prompt, refused: err }, caret: -1 })
    } else refuse(err)
    return undefined
  }
}

let halted = false // Stop was pressed before the run had a name
let stream: EventSource | undefined
let again: ReturnType<typeof setTimeout> | undefined

function unfollow(): void {
  stream?.close()
  stream = undefined
  clearTimeout(again)
}

/** follow listens to a run until it is over. A stream that breaks is taken up where it broke. */
export function follow(id: string): void {
  unfollow()
  const source = (stream = events(id))
  const mine = () => stream === source && state.live?.id === id
  const tell = (patch: Partial<Live>) =>
    mine() && set({ live: { ...state.live!, lost: false, ...patch } })
  source.addEventListener('open', () => tell({}))
  source.addEventListener('state', (e) => {
    const s = JSON.parse((e as MessageEvent<string>).data) as { state: Run['state'] }
    tell({ state: s.state })
    if (mine() && s.state !== 'queued' && s.state !== 'running') void over(id)
  })
  source.addEventListener('progress', (e) =>
    tell(JSON.parse((e as MessageEvent<string>).data) as Partial<Live>),
  )
  source.onerror = () => {
    if (!mine()) return
    set({ live: { ...state.live!, lost: true } })
    if (source.readyState === EventSource.CLOSED) again = setTimeout(() => void resume(id), 1500)
  }
}

async function resume(id: string): Promise<void> {
  if (state.live?.id !== id) return
  try {
    const run = await call<RunWithResult>(`${runsPath}/${id}`)
    if (state.live?.id !== id) return
    if (run.state === 'queued' || run.state === 'running') follow(id)
    else await over(id)
  } catch (err) {
    if (state.live?.id !== id) return
    if (err instanceof Refused && (err.status === 404 || err.status === 401)) {
      unfollow()
      set({ live: undefined, missing: err.status === 404 })
    } else again = setTimeout(() => void resume(id), 2000)
  }
}

async function over(id: string): Promise<void> {
  unfollow()
  try {
    const run = await call<RunWithResult>(`${runsPath}/${id}`)
    await apart()
    if (state.live?.id !== id) return
    set({ live: undefined, run, trade: 1, problem: undefined })
    void loadTries()
  } catch (err) {
    if (state.live?.id !== id) return
    if (err instanceof Refused && (err.status === 0 || err.status === 429 || err.status === 503)) {
      set({ live: { ...state.live, lost: true } })
      again = setTimeout(() => void resume(id), Math.max(2, err.retryAfter) * 1000)
      return
    }
    set({ live: undefined })
    refuse(err)
  }
}

export async function stop(): Promise<void> {
  if (!state.live) return
  const { id } = state.live
  if (!id) {
    halted = true
    return
  }
  try {
    await call(`${runsPath}/${id}/cancel`, { method: 'POST' })
  } catch (err) {
    refuse(err)
  }
}

let retried = '' // the run that is asked to go on; empty: none
/** retry sets a failed run to work again; what is done of it is kept. */
export async function retry(id: string): Promise<void> {
  if (retried === id) return
  retried = id
  try {
    const run = await call<Run>(`${runsPath}/${id}/retry`, { method: 'POST' })
    if (state.run?.id !== id || state.live) return // another run was gone to in the meantime
    set({
      problem: undefined,
      until: 0,
      live: {
        id,
        state: run.state,
        phase: run.phase,
        done: run.done,
        total: run.total,
        since: Date.now(),
        lost: false,
      },
    })
    follow(id)
  } catch (err) {
    if (state.run?.id === id) refuse(err)
  } finally {
    retried = ''
  }
}

let wanted = ''
/** load shows a run, and its sentence; a run that is not over is followed. */
export async function load(id: string): Promise<void> {
  wanted = id
  if (state.live?.id === id || (state.run?.id === id && !state.live)) return
  const typed = state.prompt
  try {
    const run = await call<RunWithResult>(`${runsPath}/${id}`)
    await apart()
    if (wanted !== id) return
    const at = /^#trade=(\d+)$/.exec(location.hash)
    // What somebody typed in the meantime stays.
    const same =
      state.prompt === typed
        ? { prompt: run.prompt, caret: -1, options: choiceOf(run.options) }
        : {}
    const patch = { ...same, problem: undefined, missing: false, until: 0 }
    if (run.state === 'queued' || run.state === 'running') {
      set({
        ...patch,
        live: {
          id,
          state: run.state,
          phase: run.phase,
          done: run.done,
          total: run.total,
          since: Date.parse(run.created_at),
          lost: false,
        },
      })
      follow(id)
    } else {
      unfollow()
      set({ ...patch, live: undefined, run, trade: at ? Number(at[1]) : 1 })
    }
    read()
    void loadTries()
  } catch (err) {
    if (wanted !== id) return
    if (err instanceof Refused && err.status === 404)
      set({ missing: true, run: undefined, live: undefined })
    else refuse(err)
  }
}

let listed = 0
export async function loadTries(): Promise<void> {
  const mine = ++listed
  const { run } = state
  // No more than are of use: every one of them is sent with each run that is opened.
  const q = new URLSearchParams({ limit: '20' })
  if (run) {
    q.set('coin', run.coin)
    q.set('market_type', run.market_type)
  }
  try {
    const { data, metadata } = await call<Page<Run>>(`${runsPath}?${q}`)
    if (mine === listed) set({ tries: data, older: metadata.next_cursor !== null })
  } catch (err) {
    if (!(err instanceof Refused)) throw err
    if (mine !== listed) return
    set({ tries: state.tries ?? [] })
    if (state.run === undefined) refuse(err)
  }
}

/** choose shows a trade of the run. */
export function choose(n: number): void {
  const trades = state.run?.result?.report.trades.length ?? 0
  if (n < 1 || n > trades || n === state.trade) return
  set({ trade: n })
  history.replaceState(history.state, '', `#trade=${n}`)
}
