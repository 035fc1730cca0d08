// The left side: the sentence, what it was read as, the options, Run, and the tries.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Run } from './api'
import { now, read, set, start, stop, useBench, write, type State } from './bench'
import { go } from './router'
import { optionWords, rows, type Choice } from './strategy'
import {
  counted,
  diff,
  interval,
  kindOf,
  moved,
  pieces,
  Places,
  signed,
  usd,
  type Mark,
} from './text'

/** The sentences that somebody without runs may begin with. */
export const examples = [
  'Buy Up on BTC 15m when Up drops below 35 cents in the first 5 minutes, take profit at 55c, stop at 20c, $50 per trade, last 100 markets',
  'Buy the favorite on ETH 5m when its ask is at most 80c in the last 2 minutes, hold to expiry, $25 per trade, last 200 markets',
  'Buy Down on BTC 15m when Up has risen by at least 10 cents in 1 minute, sell after 3 minutes, $100 per trade, last 200 markets',
]

const MOST = 2000
const points = (s: string) => [...s].length

/** Verdict of the reading: what the line under the sentence says. */
export interface Line {
  tone: 'ok' | 'soft' | 'bad'
  head: string
  text: string
  suggestion?: string
}

/** touches tells whether the caret stands in or at the end of a phrase. */
function touches(s: State, start: number, end: number): boolean {
  if (s.caret < 0) return false
  const places = new Places(s.prompt)
  return s.caret >= places.utf16(start) && s.caret <= places.utf16(end)
}

/** unfinished tells whether a refusal is only about what is being typed, or about an older text, whose answer says nothing about the one that stands there. */
function unfinished(s: State): boolean {
  const r = s.reading?.refused
  if (!r) return false
  if (s.reading!.text !== s.prompt) return true
  if (s.caret < 0) return false
  return r.at.length === 0
    ? s.caret === s.prompt.trimEnd().length || s.caret === s.prompt.length
    : r.at.some((a) => touches(s, a.start, a.end))
}

export function line(s: State): Line | undefined {
  const r = s.reading
  if (!r) return undefined
  if (r.refused) {
    if (r.refused.status !== 400 && r.refused.status !== 422)
      return { tone: 'soft', head: 'Not read.', text: r.refused.message }
    const out: Line = unfinished(s)
      ? {
          tone: 'soft',
          head: 'Not finished.',
          text: r.refused.at.length > 0 ? '' : r.refused.message,
        }
      : { tone: 'bad', head: 'Not read.', text: r.refused.message }
    if (r.refused.suggestion && out.tone === 'bad') out.suggestion = r.refused.suggestion
    return out
  }
  const small = r.parsed!.parse.ignored.reduce(
    (n, w) => n + w.text.split(/\s+/).filter(Boolean).length,
    0,
  )
  return {
    tone: 'ok',
    head: 'Read whole.',
    text: small ? `${counted(small, 'word')} set nothing` : '',
  }
}

/** marksOf are the places to underline, of the text as it now stands. */
export function marksOf(s: State): Mark[] {
  const r = s.reading
  if (!r) return []
  const out: Mark[] = []
  if (r.refused) {
    const soft = unfinished(s)
    for (const a of r.refused.at)
      out.push({
        start: a.start,
        end: a.end,
        kind: soft && touches(s, a.start, a.end) ? 'open' : soft ? 'open' : 'bad',
        field: '',
      })
    for (const w of r.refused.spans)
      out.push({ start: w.start, end: w.end, kind: kindOf(w.field), field: w.field })
  } else
    for (const w of r.parsed!.parse.spans)
      out.push({ start: w.start, end: w.end, kind: kindOf(w.field), field: w.field })
  return moved(out, r.text, s.prompt)
}

const sameField = (field: string, paths: readonly string[]) =>
  paths.some((p) => field === p || field.startsWith(p + '.'))

function Sentence({ s, lit }: { s: State; lit: readonly string[] }) {
  const area = useRef<HTMLTextAreaElement>(null)
  const under = useRef<HTMLDivElement>(null)
  const quiet =
    s.reading?.parsed && s.reading.text === s.prompt ? s.reading.parsed.parse.ignored : []
  const place = () => {
    const a = area.current
    if (a && document.activeElement === a && a.selectionEnd !== now().caret)
      set({ caret: a.selectionEnd })
  }
  useLayoutEffect(() => {
    const a = area.current
    if (!a || a.value === s.prompt) return
    a.value = s.prompt
    // A sentence that comes while somebody is in the field gives way to what is typed next.
    if (document.activeElement === a) a.select()
  }, [s.prompt])
  useLayoutEffect(() => {
    document.addEventListener('selectionchange', place)
    return () => document.removeEventListener('selectionchange', place)
  }, [])
  return (
    <div class="text">
      <div class="under" aria-hidden="true" ref={under}>
        {pieces(s.prompt, marksOf(s), quiet).map((p, i) =>
          p.kind ? (
            <mark key={i} class={p.kind + (sameField(p.field, lit) ? ' lit' : '')}>
              {p.text}
            </mark>
          ) : (
            <span key={i}>{p.text}</span>
          ),
        )}
        {'\u200b'}
      </div>
      <textarea
        id="sentence"
        ref={area}
        rows={1}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        dir="auto"
        aria-label="Strategy, in plain English"
        aria-describedby="reading"
        aria-keyshortcuts="/"
        placeholder="Buy Up on BTC 15m when …"
        onInput={(e) => write(e.currentTarget.value, e.currentTarget.selectionEnd)}
        onBlur={() => set({ caret: -1 })}
        onFocus={place}
      />
    </div>
  )
}

function Options({ s }: { s: State }) {
  const o = s.options
  const put = (patch: Partial<Choice>) => set({ options: { ...o, ...patch } })
  const number = (
    name: string,
    unit: string,
    key: 'latency_ms' | 'stale_ms' | 'seed',
    step: number,
  ) => (
    <label>
      {name}
      <span>
        <input
          type="number"
          min="0"
          step={step}
          value={o[key]}
          onChange={(e) => put({ [key]: Math.max(0, Math.round(Number(e.currentTarget.value))) })}
        />{' '}
        {unit}
      </span>
    </label>
  )
  return (
    <details class="opts">
      <summary>
        <span>{optionWords(o).join(' · ')}</span> <u>change</u>
      </summary>
      <div class="form">
        {number('Latency', 'ms', 'latency_ms', 50)}
        <label>
          Slippage cap
          <span>
            <input
              type="text"
              inputMode="decimal"
              value={String(o.max_slippage)}
              aria-describedby="slip"
              onChange={(e) => {
                const v = e.currentTarget.value.trim()
                put({
                  max_slippage: v === 'none' || !(Number(v) >= 0) || v === '' ? 'none' : Number(v),
                })
              }}
            />{' '}
            <i id="slip">USD or none</i>
          </span>
        </label>
        {number('Stale after', 'ms', 'stale_ms', 1000)}
        <label>
          Fees
          <select
            value={o.fees}
            onChange={(e) => put({ fees: e.currentTarget.value as Choice['fees'] })}
          >
            <option value="venue">venue</option>
            <option value="none">none</option>
          </select>
        </label>
        <label>
          Winners
          <select
            value={o.winners}
            onChange={(e) => put({ winners: e.currentTarget.value as Choice['winners'] })}
          >
            <option value="official">official</option>
            <option value="inferred">official and inferred</option>
          </select>
        </label>
        <label>
          Min coverage
          <span>
            <input
              type="number"
              min="0"
              max="1"
              step="0.05"
              value={o.min_coverage}
              onChange={(e) =>
                put({ min_coverage: Math.min(1, Math.max(0, Number(e.currentTarget.value))) })
              }
            />{' '}
            0 to 1
          </span>
        </label>
        <label>
          Sampling
          <select
            value={o.sampling}
            onChange={(e) => put({ sampling: e.currentTarget.value as Choice['sampling'] })}
          >
            <option value="recent">recent</option>
            <option value="random">random</option>
          </select>
        </label>
        {number('Seed', '', 'seed', 1)}
        <label>
          From, UTC
          <input
            type="text"
            placeholder="2026-04-13"
            value={o.from}
            onChange={(e) => put({ from: e.currentTarget.value.trim() })}
          />
        </label>
        <label>
          To, UTC
          <input
            type="text"
            placeholder="2026-04-14"
            value={o.to}
            onChange={(e) => put({ to: e.currentTarget.value.trim() })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={o.baseline}
            onChange={(e) => put({ baseline: e.currentTarget.checked })}
          />{' '}
          baseline
        </label>
      </div>
    </details>
  )
}

export const runKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ ⏎' : 'Ctrl ⏎'

/** runNow runs the sentence and leads to the run, unless somebody has gone elsewhere in the meantime. */
export async function runNow(): Promise<void> {
  const from = location.pathname
  const id = await start()
  if (id && location.pathname === from) go('/runs/' + id)
}

/** What the button says, and whether it can be pressed. */
function RunButton({ s }: { s: State }) {
  const [, tick] = useState(0)
  const left = Math.ceil((s.until - Date.now()) / 1000)
  useEffect(() => {
    if (s.until <= Date.now()) return
    const t = setInterval(() => tick((n) => n + 1), 250)
    return () => clearInterval(t)
  }, [s.until, left > 0])
  if (s.live)
    return (
      <button class="run" onClick={() => void stop()} disabled={s.live.id === ''}>
        <span>Stop</span>
        <kbd>Esc</kbd>
      </button>
    )
  if (left > 0)
    return (
      <button class="run" disabled>
        <span>Try again in {left} s</span>
      </button>
    )
  const same = s.run?.prompt === s.prompt
  return (
    <button class="run" disabled={s.prompt.trim() === ''} onClick={() => void runNow()}>
      <span>{same ? 'Run again' : 'Run'}</span>
      <kbd>{runKey}</kbd>
    </button>
  )
}

/** label tells in what another sentence differs from this one. */
function label(of: string, from: string): string {
  if (of === from) return 'the same sentence'
  const parts = diff(from, of)
  const out: string[] = []
  parts.forEach((p, i) => {
    if (p.op !== '+') return
    const before = parts.slice(0, i).findLast((b) => b.op !== '-')
    const lead = before?.op === ' ' ? before.text.split(' ').slice(-1)[0] + ' ' : ''
    out.push((lead + p.text).replace(/[,.;:]+$/, ''))
  })
  return out.length ? out.join(', ') : 'fewer words'
}

function Tries({ s }: { s: State }) {
  const run = s.run
  if (!run || !s.tries) return null
  const same = s.tries.filter(
    (t) =>
      t.state === 'done' &&
      t.coin === run.coin &&
      t.market_type === run.market_type &&
      t.side === run.side &&
      t.headline,
  )
  if (same.length < 2) return null
  const shown = same.slice(0, 8)
  const ends = shown
    .flatMap(
      (t) =>
        t.headline!.mean_pnl_interval ??
        (t.headline!.mean_pnl === null ? [] : [t.headline!.mean_pnl]),
    )
    .concat(0)
  const low = Math.min(...ends)
  const width = Math.max(...ends) - low || 1
  const at = (x: number) => `${(((x - low) / width) * 100).toFixed(1)}%`
  const item = (t: Run) => {
    const h = t.headline!
    const i = h.mean_pnl_interval
    return (
      <li key={t.id} aria-current={t.id === run.id ? 'true' : undefined}>
        <a class="t" href={'/runs/' + t.id} title={t.prompt}>
          {t.id === run.id ? 'this run' : label(t.prompt, run.prompt)}
        </a>
        <span class="mini" title={`95% interval: ${interval(i, usd)}`}>
          <u style={{ left: at(0) }} />
          {i && (
            <i
              style={{ left: at(i[0]!), width: `${(((i[1]! - i[0]!) / width) * 100).toFixed(1)}%` }}
            />
          )}
          {h.mean_pnl !== null && <b style={{ left: at(h.mean_pnl) }} />}
        </span>
        <span class={'n ' + (h.mean_pnl === null ? '' : h.mean_pnl < 0 ? 'loss' : 'gain')}>
          {h.mean_pnl === null ? '–' : signed(h.mean_pnl)}
        </span>
      </li>
    )
  }
  return (
    <section class="hist" aria-label="Tries of this idea">
      <p class="lab">
        {counted(same.length, 'try')} on {run.coin} {run.market_type}. The best of many tries looks
        better than it is.
      </p>
      <ol>{shown.map(item)}</ol>
    </section>
  )
}

export function Editor() {
  const s = useBench()
  const [lit, light] = useState<readonly string[]>([])
  const l = line(s)
  const parsed = s.reading?.parsed
  const length = points(s.prompt)
  return (
    <aside class="left" aria-label="Strategy">
      <div class="stick">
        <div class="row">
          <label class="lab" for="sentence">
            Strategy, in plain English
          </label>
          {parsed && <span class="lab">read by the rules</span>}
        </div>
        <div class={'ed' + (l?.tone === 'bad' ? ' bad' : '')}>
          <Sentence s={s} lit={lit} />
          <div class="foot">
            <span id="reading" role="status">
              {l && (
                <>
                  <b class={l.tone}>{l.head}</b> {l.tone === 'bad' ? '' : l.text}
                </>
              )}
            </span>
            <span class={'num' + (length > MOST ? ' loss' : '')}>{length} of 2,000</span>
          </div>
        </div>
        {l?.tone === 'bad' && (
          <div class="refusal" role="alert">
            {s.reading!.refused!.at.length > 0 ? (
              <ul>
                {s.reading!.refused!.at.map((a, i) => (
                  <li key={i}>{a.message}</li>
                ))}
              </ul>
            ) : (
              <p>{l.text}</p>
            )}
            {l.suggestion && (
              <div class="suggest">
                <p>{l.suggestion}</p>
                <button onClick={() => write(l.suggestion!)}>Use this</button>
              </div>
            )}
          </div>
        )}
        {s.prompt.trim() === '' && s.tries?.length === 0 && (
          <div class="examples">
            <p class="lab">No runs yet. Try one of these:</p>
            {examples.map((x) => (
              <button
                key={x}
                onClick={() => {
                  write(x)
                  document.getElementById('sentence')?.focus()
                }}
              >
                {x}
              </button>
            ))}
          </div>
        )}
        {parsed && (
          <dl class={'f' + (s.reading!.text !== s.prompt ? ' old' : '')}>
            {rows(parsed).map((r) => (
              <div
                key={r.name + r.paths[0]}
                class={r.words.length ? r.kind : 'none'}
                onMouseEnter={() => light(r.paths)}
                onMouseLeave={() => light([])}
              >
                <dt>{r.name}</dt>
                <dd>
                  <span>
                    {r.value}
                    {r.words.length > 0 && (
                      <small class="from"> {r.words.map((w) => `“${w}”`).join(' ')}</small>
                    )}
                  </span>
                  {(r.assumed.length > 0 || r.words.length === 0) && (
                    <span class="tag" title={r.assumed.join('; ') || 'nothing was said of it'}>
                      assumed
                    </span>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
        <Options s={s} />
        <RunButton s={s} />
        <Tries s={s} />
      </div>
    </aside>
  )
}

/** Dock is Run at the bottom of a narrow screen. */
export function Dock() {
  const s = useBench()
  return (
    <div class="dock">
      <RunButton s={s} />
    </div>
  )
}

export { read }
