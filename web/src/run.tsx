// A run as evidence: the verdict, the numbers with what bounds them, the pictures, the
// trades. In the words of the report in the terminal.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { runsPath, text, type Backtest, type From, type Report } from './api'
import { Distribution, Equity, Interval } from './charts'
import { prose } from './prose'
import { OneTrade } from './trade'
import { Trades } from './trades'
import {
  count,
  counted,
  dates,
  dollars,
  fixed,
  interval,
  minute,
  price,
  rate,
  sentence,
  signedPrice,
  signedRate,
  span,
  thousands,
  usd,
} from './text'

/** verdict says the verdict and why, in two parts. */
export function verdict(r: Report): [string, string] {
  switch (r.stats.verdict) {
    case 'positive':
      return ['Positive', 'The 95% interval of the mean pnl per trade lies wholly above zero.']
    case 'negative':
      return ['Negative', 'The 95% interval of the mean pnl per trade lies wholly below zero.']
    case 'no_edge':
      return ['No edge', 'The 95% interval of the mean pnl per trade includes zero.']
  }
  return [
    'Not enough evidence',
    r.trades.length === 0
      ? 'There were no trades.'
      : 'A verdict needs at least 30 trades over 20 distinct round ends.',
  ]
}
export const verdictName = (v: Report['stats']['verdict']) =>
  ({
    positive: 'Positive',
    negative: 'Negative',
    no_edge: 'No edge',
    not_enough_evidence: 'Not enough evidence',
  })[v]

/** headline says what came out in one sentence. */
export function headline(r: Report): string {
  const a = r.analysis
  const over =
    `${counted(r.trades.length, 'trade')} in ${counted(r.markets_found, 'market')}` +
    (a.first_round ? `, ${dates(a.first_round, a.last_round!)}` : '')
  if (r.stats.mean_pnl === null) return over + '.'
  return `${usd(r.stats.mean_pnl)} per trade (95% interval: ${interval(r.stats.mean_pnl_interval, usd)}); ${usd(r.total_pnl)} in total over ${over}.`
}

/** baseline says what the baseline is, in the words of the report in the terminal. */
function baseline(r: Report, of: Backtest['strategy']): string {
  const b = r.baseline
  if (!b) return ''
  const what =
    of.side === 'either'
      ? 'same exits and budget, but bought the side with the higher price,'
      : 'same side, exits and budget, but bought'
  const s = `Baseline: ${what} ${count(b.entry_seconds)} s into every round whatever the market says.`
  const d = b.excess_mean_pnl
  if (d == null) return s
  const rule =
    of.entry.length + (of.entry_any?.length ?? 0) > 0
      ? 'Your entry rule made'
      : 'You have no entry rule: the other times of entry made'
  return `${s} ${rule} ${d === 0 ? 'no difference' : `${dollars(Math.abs(d))} ${d > 0 ? 'more' : 'less'} per trade`}.`
}

interface Figure {
  name: string
  value: string
  bound: string
  sign?: number
  help: string
}

function figures(r: Report): Figure[] {
  const s = r.stats
  const b = r.baseline
  return [
    {
      name: 'trades',
      value: count(r.trades.length),
      bound: `of ${counted(r.markets_found, 'market')}`,
      help: 'Markets in which the entry was filled.',
    },
    {
      name: 'win rate',
      value: rate(r.win_rate),
      bound: interval(s.win_rate_interval, rate),
      help: 'Share of the trades with a pnl above zero.',
    },
    {
      name: 'total pnl',
      value: usd(r.total_pnl),
      bound: b ? `baseline ${usd(b.total_pnl)}` : `${usd(s.gross_pnl)} before fees`,
      sign: r.total_pnl,
      help: 'Money received minus money paid, fees included.',
    },
    {
      name: 'edge per share',
      value: signedPrice(s.edge),
      bound: s.avg_entry_price === null ? '' : `average entry ${price(s.avg_entry_price)}`,
      help: 'What a share turned out to be worth minus what it cost, before fees and whatever the exit.',
    },
    {
      name: 'fees',
      value: dollars(s.fees),
      bound: `${usd(s.gross_pnl)} before fees`,
      help: 'Of all entries and sales.',
    },
    {
      name: 'max drawdown',
      value: dollars(s.max_drawdown),
      bound: `longest losing streak ${count(s.longest_losing_streak)}`,
      help: 'Deepest fall of the equity curve below its highest point before.',
    },
    {
      name: 'average holding time',
      value: s.avg_hold_seconds === null ? '–' : span(s.avg_hold_seconds),
      bound: 'from entry to exit',
      help: 'From entry to exit.',
    },
  ]
}

const stepWords: [keyof Omit<Report['funnel'], 'refusals'>, string][] = [
  ['universe', 'of this coin, length and dates'],
  ['resolved', 'with a payout that counts'],
  ['captured', 'with captures during the round'],
  ['covered', 'recorded for min_coverage of the round'],
  ['sampled', 'replayed'],
  ['signalled', 'where the entry rule held'],
  ['filled', 'traded'],
]
const refusalWords: [keyof Report['funnel']['refusals'], string][] = [
  ['too_late', 'arrived after the round had ended'],
  ['gap', 'arrived in a gap the source declares'],
  ['stale', 'met a book that was too old'],
  ['crossed', 'met a bid above the ask'],
  ['no_liquidity', 'found no ask'],
  ['capped', 'found no ask within the price cap'],
  ['below_min_size', 'could buy less than the minimum order'],
]

export function Funnel({ report }: { report: Report }) {
  const f = report.funnel
  const steps = stepWords.filter(([k]) => k !== 'covered' || report.options.min_coverage > 0)
  const refused = refusalWords.filter(([k]) => f.refusals[k] > 0)
  const bar = (name: string, words: string, n: number, of: number, bad = false) => (
    <div class={'fn' + (bad ? ' bad' : '')} key={name}>
      <span title={words}>{name}</span>
      <span class="bar">
        <i style={{ width: `${of ? (n / of) * 100 : 0}%` }} />
      </span>
      <b>{count(n)}</b>
    </div>
  )
  return (
    <div class="funnel">
      {steps.map(([k, words]) => bar(k, words, f[k], f.universe))}
      {refused.length > 0 && <p class="lab">Entry orders refused, on the same scale:</p>}
      {refused.map(([k, words]) => bar(words, words, f.refusals[k], f.universe, true))}
      <p class="q small">
        {f.signalled < f.sampled
          ? `In ${counted(f.sampled - f.signalled, 'market')} the entry rule never held. `
          : ''}
        {refused.length === 0 ? 'No order was refused.' : ''}
      </p>
    </div>
  )
}

/** nothing says why there was nothing to replay, and what the archive has. */
function nothing(r: Report, b: Backtest): string[] {
  if (r.markets_found > 0) return []
  const m = b.strategy.market
  const asked = [
    m.coin === 'ANY' ? 'any coin' : m.coin,
    m.market_type === 'ANY' ? '' : m.market_type,
  ]
    .filter(Boolean)
    .join(' ')
  const f = r.funnel
  const why =
    f.universe === 0
      ? 'no such round is in the archive.'
      : f.resolved === 0
        ? `none of ${counted(f.universe, 'round')} has ${r.options.winners === 'inferred' ? 'a payout' : 'an official payout'}.`
        : f.captured === 0
          ? `none of ${counted(f.resolved, 'round')} with a payout was captured.`
          : `none of ${counted(f.captured, 'round')} is recorded for the share that min_coverage asks for.`
  const has = r.available ?? []
  if (has.length === 0)
    return [`Nothing to replay for ${asked}: ${why}`, 'The archive has no up/down rounds at all.']
  const inferred = r.options.winners === 'inferred'
  return [
    `Nothing to replay for ${asked}: ${why} The archive has:`,
    ...has.map(
      (h) =>
        `${h.coin} ${h.market_type}: ` +
        (!h.inferred
          ? counted(h.rounds, 'round')
          : inferred
            ? `${counted(h.rounds + h.inferred, 'round')}, ${count(h.inferred)} of them with an inferred payout`
            : `${counted(h.rounds, 'round')}, and ${count(h.inferred)} more with inferred winners`) +
        `; ends ${minute(h.first_end)} to ${minute(h.last_end)} UTC`,
    ),
  ]
}

function Breakdowns({ report }: { report: Report }) {
  const a = report.analysis
  const parts: [string, typeof a.by_exit, (k: string) => string][] = [
    ['exit reason', a.by_exit, (k) => k.replaceAll('_', ' ')],
    [
      'entry price',
      a.by_entry_price,
      (k) => {
        const low = Number(k.replace('0.', ''))
        return `${10 * low}¢ to ${10 * low + 10}¢`
      },
    ],
    ['coin', a.by_coin, (k) => k],
    ['hour of entry, UTC', a.by_hour, (k) => k + ':00'],
  ]
  return (
    <div class="tables">
      {parts
        .filter(([name, g]) => g.length >= (name === 'exit reason' ? 1 : 2))
        .map(([name, groups, key]) => (
          <div
            key={name}
            class={groups.length > 12 ? 'scroll low' : 'wrapx'}
            {...(groups.length > 12 && {
              tabIndex: 0,
              role: 'region' as const,
              'aria-label': `By ${name}`,
            })}
          >
            <table>
              <thead>
                <tr>
                  <th>by {name}</th>
                  <th class="n">trades</th>
                  <th class="n">win rate</th>
                  <th class="n wide">per trade</th>
                  <th class="n">total pnl</th>
                </tr>
              </thead>
              <tbody>
                {groups.map((g) => (
                  <tr key={g.key}>
                    <td>{key(g.key)}</td>
                    <td class="n">{count(g.trades)}</td>
                    <td class="n">{rate(g.win_rate)}</td>
                    <td class="n wide">{usd(g.mean_pnl)}</td>
                    <td class={'n ' + (g.total_pnl < 0 ? 'loss' : 'gain')}>{usd(g.total_pnl)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ))}
    </div>
  )
}

const whole = (x: number) => (x > 0 ? '+$' : x < 0 ? '−$' : '$') + thousands(fixed(Math.abs(x), 0))

function Sensitivity({ report }: { report: Report }) {
  const cells = report.sensitivity
  if (!cells?.length) return null
  const rows = new Map<string, typeof cells>()
  for (const c of cells)
    rows.set(`${c.latency_ms} ${c.fees}`, [...(rows.get(`${c.latency_ms} ${c.fees}`) ?? []), c])
  const most = Math.max(1, ...cells.map((c) => Math.abs(c.total_pnl)))
  const first = [...rows.values()][0]!
  return (
    <div class="sens" tabIndex={0} role="region" aria-label="Total pnl under other conditions">
      <table class="sw">
        <thead>
          <tr>
            <th scope="col">latency</th>
            <th scope="col">fees</th>
            {first.map((c) => (
              <th key={c.budget} scope="col" class="n">
                {dollars(c.budget).replace('.00', '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...rows.values()].map((row) => (
            <tr key={row[0]!.latency_ms + row[0]!.fees}>
              <th scope="row">{row[0]!.latency_ms} ms</th>
              <th scope="row">{row[0]!.fees}</th>
              {row.map((c, i) => (
                <td
                  key={i}
                  class={
                    (c.total_pnl < 0 ? 'neg' : 'pos') +
                    (i === 1 &&
                    c.latency_ms === report.options.latency_ms &&
                    c.fees === report.options.fees
                      ? ' cur'
                      : '')
                  }
                  style={{ '--a': `${(Math.abs(c.total_pnl) / most) * 46}%` }}
                >
                  {whole(c.total_pnl)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="q small">
        Framed: as run. Without fees the same budget buys more shares, so those rows differ from the
        pnl before fees.
      </p>
    </div>
  )
}

/** save hands a file to the browser. */
export function save(name: string, text: string | string[], type: string): void {
  const url = URL.createObjectURL(new Blob(typeof text === 'string' ? [text] : text, { type }))
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

const columns = [
  'market_id',
  'market_slug',
  'token_id',
  'token_label',
  'side',
  'entry_time',
  'entry_price',
  'entry_fill',
  'shares',
  'cost',
  'exit_time',
  'exit_price',
  'exit_fill',
  'exit_reason',
  'proceeds',
  'fees',
  'pnl',
  'slippage',
  'coverage',
] as const

/** csv writes the trade items, one a line. */
export function csv(report: Report): string {
  const cell = (v: unknown) => {
    const s = v === undefined || v === null ? '' : String(v)
    return /[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s
  }
  return (
    [columns.join(','), ...report.trades.map((t) => columns.map((c) => cell(t[c])).join(','))].join(
      '\n',
    ) + '\n'
  )
}

/** report fetches the run as one page that needs nothing else. */
async function report(id: string): Promise<void> {
  save(id + '.html', await text(`${runsPath}/${id}`, 'text/html'), 'text/html')
}

export const download = {
  json: (b: Backtest, name: string) =>
    save(name + '.json', JSON.stringify(b) + '\n', 'application/json'),
  csv: (b: Backtest, name: string) => save(name + '.csv', csv(b.report), 'text/csv'),
}

/** Menu of the files that a run can be had as. */
export function Download({ body, name }: { body: Backtest; name: string }) {
  const [open, show] = useState(false)
  return (
    <span
      class="menu"
      onKeyDown={(e) => {
        if (e.key === 'Escape' && open) {
          e.stopPropagation()
          show(false)
        }
      }}
      onFocusOut={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget as Node | null)) show(false)
      }}
    >
      <button id="download" aria-haspopup="true" aria-expanded={open} onClick={() => show(!open)}>
        Download
      </button>
      {open && (
        <span class="sheet">
          <button
            onClick={() => {
              show(false)
              download.json(body, name)
            }}
          >
            JSON, the whole result
          </button>
          <button
            onClick={() => {
              show(false)
              download.csv(body, name)
            }}
          >
            CSV, the trades
          </button>
          <button
            onClick={() => {
              show(false)
              void report(name).catch((err: unknown) =>
                alert(err instanceof Error ? err.message : String(err)),
              )
            }}
          >
            HTML, one page that needs nothing else
          </button>
        </span>
      )}
    </span>
  )
}

export function Evidence({
  body,
  from,
  meta,
  chosen,
  choose,
  stale,
}: {
  body: Backtest
  from: From
  meta: ComponentChildren
  chosen: number
  choose: (n: number) => void
  stale: boolean
}) {
  const r = body.report
  const [head, why] = verdict(r)
  const none = r.trades.length === 0
  const said = nothing(r, body)
  const simulated = r.warnings.find((w) => w.code === 'simulated')
  return (
    <article class={'evidence' + (stale ? ' stale' : '')} aria-label="Run" aria-busy={stale}>
      {meta}
      <div class="verdict">
        <div>
          <h1 id="verdict" tabIndex={-1}>
            {none ? (said.length ? 'Nothing to replay' : 'No trades') : head}
          </h1>
          {said.length ? (
            <>
              <p>{prose(said[0]!)}</p>
              <ul class="has">
                {said.slice(1).map((s) => (
                  <li key={s}>{s}</li>
                ))}
              </ul>
            </>
          ) : (
            <p>{prose(headline(r))}</p>
          )}
          {!said.length && (
            <p class="why">
              {none
                ? 'Where the markets went is below: the first step that loses them is the one to change.'
                : why}
            </p>
          )}
        </div>
        {!none && <Interval report={r} />}
      </div>
      {none && (
        <section>
          <h2>Where the markets went</h2>
          <Funnel report={r} />
        </section>
      )}
      {!none && (
        <dl class="nums">
          {figures(r).map((f) => (
            <div key={f.name}>
              <dt title={f.help}>{f.name}</dt>
              <dd class={f.sign === undefined || f.sign === 0 ? '' : f.sign < 0 ? 'loss' : 'gain'}>
                {f.value}
                {f.bound && <small>{prose(f.bound)}</small>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {r.warnings.length > 0 && (
        <ul class="warns" aria-label="Warnings">
          {r.warnings
            .filter((w) => w !== simulated)
            .map((w) => (
              <li key={w.code}>
                <b>{sentence(w.code.replaceAll('_', ' '))}</b> {prose(w.message)}
              </li>
            ))}
        </ul>
      )}
      {!none && (
        <>
          <section class="two">
            <div>
              <h2>
                Equity <small>USD after each trade, drawdown below</small>
              </h2>
              <Equity report={r} chosen={chosen} choose={choose} />
              <p class="q small">{prose(baseline(r, body.strategy))}</p>
            </div>
            <div>
              <h2>Where the markets went</h2>
              <Funnel report={r} />
            </div>
          </section>
          <OneTrade
            from={from}
            trades={r.trades}
            n={Math.min(chosen, r.trades.length)}
            choose={choose}
          />
          <section>
            <h2>
              Trades <small>in the order of their exits; times in UTC</small>
            </h2>
            <Trades trades={r.trades} chosen={chosen} choose={choose} />
          </section>
          <section class="two even">
            <div>
              <h2>
                Distribution of pnl <small>number of trades by USD; dashed: the mean</small>
              </h2>
              <Distribution report={r} />
            </div>
            <div>
              <h2>Where the pnl came from</h2>
              <Breakdowns report={r} />
            </div>
          </section>
          {r.sensitivity && (
            <section>
              <h2>
                Total pnl under other conditions <small>USD, by budget per trade</small>
              </h2>
              <Sensitivity report={r} />
            </section>
          )}
        </>
      )}
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
    </article>
  )
}
