// The one way to the server. The page holds no key: the session is a cookie that
// scripts cannot read.
import type { components } from './api.gen'
import { typeset } from './text'

type S = components['schemas']
export type Run = S['Run']
export type RunWithResult = S['RunWithResult']
export type Backtest = S['Backtest']
export type Report = Backtest['report']
export type ReportWords = S['ReportWords']
export type SweepWords = S['SweepWords']
export type Remark = S['WarningWords']
export type Remedy = S['Remedy']
export type Trade = S['Trade']
export type Explanation = S['Explanation']
export type Comparison = S['Comparison']
export type Parsed = S['Parsed']
export type Strategy = S['Strategy']
export type Options = S['Options']
export type Book = S['Book']
export type Market = S['Market']
export type MarketItem = S['MarketItem']
export type Gaps = S['GapList']
export type Sweep = S['Sweep']
export type SweepRun = S['SweepRun']
export type SweepWithResult = S['SweepWithResult']
export type Archive = S['Archive']
export type Calibration = S['Calibration']
export type At = NonNullable<S['ErrorBody']['at']>[number]
export type Span = S['Parse']['spans'][number]
export type Offer = S['Offer']

export interface Page<T> {
  data: T[]
  metadata: { count: number; limit: number; next_cursor: string | null }
}

export interface Session {
  organization: string
  plan: string
  account?: { id: string; email: string; verified: boolean; role: string } // absent in a session of a key
}

/** What a refused sentence may be meant to be: a whole one that can be read, what it says but for words that are left out, or two readings and more. */
export interface Offers {
  suggestion?: string
  confirm?: Offer
  choices?: Offer[]
}

/** A request that the server refused, or that never reached it (status 0). */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly at: At[] = [],
    readonly spans: Span[] = [],
    readonly retryAfter = 0,
    readonly offers: Offers = {},
  ) {
    super(message)
  }
}

interface Asked {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  proof?: boolean // a 401 may mean a wrong password
}

async function ask(path: string, asked: Asked = {}): Promise<Response> {
  const before = sessions
  const headers: Record<string, string> = { Accept: 'application/json', ...asked.headers }
  const init: RequestInit = {
    method: asked.method ?? 'GET',
    headers,
    credentials: 'same-origin',
    cache: 'no-cache',
  }
  if (asked.signal) init.signal = asked.signal
  if (asked.body !== undefined) {
    headers['Content-Type'] = 'application/json'
    init.body = JSON.stringify(asked.body)
  }
  let answer: Response
  try {
    answer = await fetch(path, init)
  } catch (err) {
    if (asked.signal?.aborted) throw err
    throw new Refused(0, 'unreachable', 'The server does not answer.')
  }
  if (answer.ok) return answer
  let said: {
    error?: string
    message?: string
    detail?: { msg: string }[]
    at?: At[]
    spans?: Span[]
  } & Offers = {}
  try {
    said = await answer.json()
  } catch {
    // an answer of something between the page and the server
  }
  const refused = new Refused(
    answer.status,
    said.error ?? '',
    typeset(
      (asked.proof && said.detail?.[0]?.msg) ||
        (said.message ?? `The server answered ${answer.status}.`),
    ),
    said.at?.map((a) => ({ ...a, message: typeset(a.message) })),
    said.spans,
    Number(answer.headers.get('Retry-After')) || 0,
    said,
  )
  if (answer.status === 401 && before === sessions && !path.startsWith('/v1/') && !asked.proof)
    signedOut?.()
  throw refused
}

let sessions = 0
/** signedIn counts the sessions that were begun on this page: a refusal of an earlier one says nothing about the last. */
export const signedIn = () => sessions

let signedOut: (() => void) | undefined
/** onSignedOut sets what happens when the session turns out to be over. */
export const onSignedOut = (f: () => void) => {
  signedOut = f
}

/** call asks a route of the API, named below /v1, for its JSON. */
export async function call<T>(path: string, asked?: Asked): Promise<T> {
  return json<T>('/app/v1' + path, asked)
}

/** text asks a route of the API for a form other than JSON. */
export const text = async (path: string, accept: string) =>
  (await ask('/app/v1' + path, { headers: { Accept: accept } })).text()

/** session says who is signed in; undefined: nobody. */
export const session = () => json<Session | undefined>('/app/session')
export const signIn = (body: { key: string } | { ticket: string }) =>
  ask('/app/session', { method: 'POST', body }).then(() => {
    sessions++
  })
export const signOut = () => ask('/app/session', { method: 'DELETE' })
export const sharedRun = async (token: string) =>
  (await ask('/v1/shared/' + encodeURIComponent(token))).json() as Promise<S['SharedRun']>

export const runsPath = '/ai/backtests'
export const sweepsPath = '/ai/sweeps'

/** From says where the trades of a run are worked through: in the run, or by a link to it. */
export interface From {
  name: string
  trade: (n: number) => string
  books: (n: number, token: string) => string
  gaps?: (market: string) => string // none by a link
  market?: (slug: string, n: number) => string // the page of its market; none by a link
}

export const ofRun = (id: string): From => ({
  name: id,
  trade: (n) => `/app/v1${runsPath}/${id}/trades/${n}`,
  books: (_, token) => `/app/v1/tokens/${encodeURIComponent(token)}/books`,
  gaps: (market) => `/app/v1/markets/${encodeURIComponent(market)}/gaps`,
  market: (slug, n) => `/markets/${encodeURIComponent(slug)}?run=${id}&trade=${n}`,
})

export const ofLink = (token: string): From => ({
  name: token,
  trade: (n) => `/v1/shared/${encodeURIComponent(token)}/trades/${n}`,
  books: (n) => `/v1/shared/${encodeURIComponent(token)}/trades/${n}/books`,
})

/** apart lets what was pressed or is to be painted go first: taking a large answer, reading it and drawing it are three tasks. */
export const apart = () => new Promise((done) => setTimeout(done))

const large = 100_000 // characters of an answer that is read in a task of its own

/** json asks a whole path for its JSON. */
export async function json<T>(path: string, asked?: Asked): Promise<T> {
  const answer = await ask(path, asked)
  if (answer.status === 204) return undefined as T
  const text = await answer.text()
  if (text.length > large) await apart()
  return JSON.parse(text) as T
}

/** events opens the stream of a run. */
export const events = (id: string) => new EventSource(`/app/v1${runsPath}/${id}/events`)
/** sweepEvents opens the stream of a sweep. */
export const sweepEvents = (id: string) =>
  new EventSource(`/app/v1${sweepsPath}/${id}/events?result=link`)
