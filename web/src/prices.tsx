// Prices against outcomes of a series: is the market right at all?
import { useEffect, useState } from 'preact/hooks'
import { call, Refused, type Archive, type Calibration } from './api'
import { useWidth } from './chart'
import { count, counted, fixed, interval, points, rate, span } from './text'

type Cell = Calibration['by_price'][number]

const cents = (x: number) => fixed(x * 100, 1).replace('.0', '') + '¢'
const band = (c: Cell) => `${cents(c.from)} to ${cents(c.to)}`
const mark = (c: Cell) => (c.sure ? ' ◆' : c.off ? ' •' : c.n && !c.band ? ' ~' : '')

/** verdict says in a sentence whether prices and outcomes agree. */
export function verdict(c: Calibration): string {
  if (c.verdict === 'not_enough_evidence')
    return 'Not enough rounds yet to tell whether prices are right.'
  const looked = `Of ${counted(c.judged, 'cell')} with enough rounds ${count(c.off)} ${c.off === 1 ? 'lies' : 'lie'} outside of the 95% band, where chance puts one in twenty`
  return c.verdict === 'calibrated'
    ? `Prices and outcomes agree. ${looked}; none does when so many looks are allowed for.`
    : `Prices and outcomes disagree. ${looked}; ${count(c.sure)} ${c.sure === 1 ? 'does' : 'do'} also when so many looks are allowed for.`
}

/** Diagram draws how often Up came true against its price, with the bands; right prices lie on the diagonal. */
function Diagram({ c }: { c: Calibration }) {
  const [box, width, u] = useWidth(420)
  const size = Math.min(width, 320 * u)
  const pad = 44 * u
  const x = (v: number) => pad + v * (size - pad - 10 * u)
  const y = (v: number) => size - pad - v * (size - pad - 10 * u)
  const seen = c.by_price.filter((p) => p.mean_price !== null)
  const told = seen
    .map((p) => `at ${rate(p.mean_price)} ${rate(p.outcome_rate)} came true`)
    .join(', ')
  return (
    <div ref={box}>
      <svg
        class="agree"
        width={size}
        height={size}
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={`Share that came true against the price, all times together: ${told}. The numbers are in the table.`}
      >
        {[0, 0.25, 0.5, 0.75, 1].map((v) => (
          <g key={v}>
            <line class="grid" x1={x(0)} x2={x(1)} y1={y(v)} y2={y(v)} />
            <text x={pad - 6 * u} y={y(v) + 4 * u} text-anchor="end">
              {v * 100}%
            </text>
            <text x={x(v)} y={size - pad + 16 * u} text-anchor={v === 1 ? 'end' : 'middle'}>
              {v * 100}¢
            </text>
          </g>
        ))}
        <line class="right" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
        {seen.map((p) => (
          <g key={p.from} class={p.off ? 'off' : ''}>
            {p.band && (
              <line
                class="band"
                x1={x(p.mean_price!)}
                x2={x(p.mean_price!)}
                y1={y(p.band[0]!)}
                y2={y(p.band[1]!)}
              />
            )}
            <circle cx={x(p.mean_price!)} cy={y(p.outcome_rate!)} r={4 * u} />
          </g>
        ))}
        <text x={x(1)} y={size - 2 * u} text-anchor="end">
          price of Up
        </text>
      </svg>
    </div>
  )
}

function Cells({ c }: { c: Calibration }) {
  const most = Math.max(
    0.01,
    ...c.by_time.flatMap((t) => t.cells.filter((p) => p.band).map((p) => Math.abs(p.gap!))),
  )
  return (
    <div
      class="sens"
      tabIndex={0}
      role="region"
      aria-label="Outcome minus price, by price and time left"
    >
      <table class="sw">
        <caption class="sr">
          Percentage points by which Up came true more often than its price said, with the rounds
        </caption>
        <thead>
          <tr>
            <th scope="col">price, time left</th>
            {c.by_time.map((t) => (
              <th key={t.left} scope="col" class="n">
                {span(t.seconds_left)}
              </th>
            ))}
            <th scope="col" class="n">
              all
            </th>
          </tr>
        </thead>
        <tbody>
          {c.by_price.map((p, i) => (
            <tr key={p.from}>
              <th scope="row">{band(p)}</th>
              {c.by_time.map((t) => {
                const one = t.cells[i]!
                return (
                  <td
                    key={t.left}
                    class={
                      (one.gap === null ? 'void' : one.gap < 0 ? 'neg' : 'pos') +
                      (one.band ? '' : ' pale') +
                      (one.off ? ' cur' : '')
                    }
                    style={{ '--a': one.band ? `${(Math.abs(one.gap!) / most) * 46}%` : '0%' }}
                  >
                    {one.gap === null ? '–' : points(one.gap).replace(' pp', '')}
                    {mark(one)} <small>{count(one.n)}</small>
                  </td>
                )
              })}
              <td>
                {rate(p.outcome_rate)} <small>{p.band && interval(p.band, rate)}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Prices asks for the calibration of a series and draws it; who may not ask sees nothing. */
export function Prices({ coin, type }: { coin?: string; type?: string }) {
  const [got, put] = useState<Calibration>()
  const [problem, fail] = useState('')
  useEffect(() => {
    let live = true
    const ask = async () => {
      let of = [coin, type]
      if (!coin) {
        const held = (await call<Archive>('/archive?rounds=true')).rounds ?? []
        const most = held.reduce<(typeof held)[number] | undefined>(
          (a, b) => (a && a.rounds >= b.rounds ? a : b),
          undefined,
        )
        if (!most) return undefined
        of = [most.coin, most.market_type]
      }
      return await call<Calibration>(`/ai/calibration?coin=${of[0]!}&market_type=${of[1]!}`)
    }
    ask()
      .then((c) => live && put(c))
      .catch(
        (err: unknown) => live && err instanceof Refused && err.status !== 403 && fail(err.message),
      )
    return () => {
      live = false
    }
  }, [coin, type])
  if (problem) return <p class="q pad">{problem}</p>
  if (!got) return null
  return (
    <section class="prices" aria-label="Are prices right?">
      <h2>
        Are prices right?{' '}
        <small>
          {got.options.coin} {got.options.market_type}, {counted(got.sampled, 'round')}
        </small>
      </h2>
      <p>{verdict(got)}</p>
      {got.observations > 0 && (
        <>
          <Diagram c={got} />
          <Cells c={got} />
          <p class="q small">
            Above: how often Up came true at its price, with 95% bands; right prices lie on the
            diagonal. Below: by how many percentage points outcomes were above the price, by the
            time left, and the rounds; on the right the share that came true and its band. Framed •
            outside of the band, ◆ surely, ~ too few rounds for one. Brier score{' '}
            {fixed(got.scores.brier ?? 0, 4)} (50% always: 0.25).
          </p>
        </>
      )}
    </section>
  )
}
