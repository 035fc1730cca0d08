import { Prices, verdict } from './prices'
import { all, asked, empty, held, one, rows, serve, show, text, texts } from '../test/dom.mjs'
import { refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const cell = (from, more = {}) => ({
  ...{ from, to: from + 0.25, n: 1200, mean_price: from + 0.1, outcome_rate: from + 0.15 },
  ...{ gap: 0.05, band: [from, from + 0.2], off: false, sure: false },
  ...more,
})
const none = { n: 0, mean_price: null, outcome_rate: null, gap: null, band: null }
const calibration = (more = {}) => ({
  ...{ verdict: 'calibrated', judged: 20, off: 1, sure: 0, sampled: 500, observations: 9000 },
  options: { coin: 'BTC', market_type: '15m' },
  scores: { brier: 0.18125 },
  by_price: [cell(0), cell(0.25, { ...none }), cell(0.325, { off: true })],
  by_time: [
    {
      left: '1m',
      seconds_left: 60,
      cells: [
        cell(0, { off: true, sure: true }),
        cell(0.25, { ...none }),
        cell(0.325, { gap: -0.1, off: true }),
      ],
    },
    {
      left: '5m',
      seconds_left: 300,
      cells: [cell(0, { band: null, n: 3 }), cell(0.25, { ...none }), cell(0.325)],
    },
  ],
  ...more,
})
const path = 'GET /app/v1/ai/calibration?coin=BTC&market_type=15m'

test('prices: whether they agree with outcomes, in a sentence', () => {
  assert.match(
    verdict(calibration()),
    /^Prices and outcomes agree\. Of 20 cells with enough rounds 1 lies outside/,
  )
  assert.match(
    verdict(calibration({ verdict: 'off', off: 2, sure: 1 })),
    /^Prices and outcomes disagree\. .* 2 lie outside .*; 1 does also/,
  )
  assert.match(verdict(calibration({ verdict: 'not_enough_evidence' })), /^Not enough rounds yet/)
})

test('prices: as a picture, and as a table by price and time left', async () => {
  serve({ [path]: calibration() })
  await show(<Prices coin="BTC" type="15m" />)
  assert.equal(text('h2'), 'Are prices right? BTC 15m, 500 rounds')
  assert.equal(all('circle').length, 2)
  assert.equal(all('line.band').length, 2)
  assert.equal(all('g.off').length, 1)
  assert.match(
    one('[role=img]').getAttribute('aria-label'),
    /at 10\.0% 15\.0% came true, at 42\.5% 47\.5% came true\./,
  )
  assert.deepEqual(texts('thead th'), ['price, time left', '1m00s', '5m00s', 'all'])
  assert.deepEqual(rows(), [
    ['0¢ to 25¢', '+5.0 ◆ 1,200', '+5.0 ~ 3', '15.0% 0.0% to 20.0%'],
    ['25¢ to 50¢', '– 0', '– 0', '–'],
    ['32.5¢ to 57.5¢', '−10.0 • 1,200', '+5.0 1,200', '47.5% 32.5% to 52.5%'],
  ])
  assert.deepEqual(
    all('tbody td')
      .slice(0, 2)
      .map((td) => td.className),
    ['pos cur', 'pos pale'],
  )
  assert.match(text(), /Brier score 0\.1812/)
})

test('prices: of no series, that of which there is most; of none, nothing', async () => {
  const rounds = [
    { coin: 'ETH', market_type: '1h', rounds: 5 },
    { coin: 'BTC', market_type: '15m', rounds: 50 },
  ]
  serve({
    'GET /app/v1/archive?rounds=true': { data: [], rounds },
    [path]: calibration({ observations: 0 }),
  })
  await show(<Prices />)
  assert.equal(asked.at(-1).name, path)
  assert.equal(all('svg, table').length, 0) // nothing to draw
  serve({ 'GET /app/v1/archive?rounds=true': { data: [] } })
  await show(<Prices key="none" />)
  assert.ok(empty())
})

test('prices: not there yet; why not; who may not ask sees nothing', async () => {
  const late = held()
  serve({ [path]: () => late.answer })
  await show(<Prices coin="BTC" type="15m" />)
  assert.ok(empty())
  await late.free(refusal(503, 'the archive is <away>'))
  assert.equal(text(), 'the archive is <away>')
  serve({ [path]: refusal(403, 'plan', { error: 'plan_required' }) })
  await show(<Prices key="plan" coin="BTC" type="15m" />)
  assert.ok(empty())
})

test('prices: a price with too few rounds for a band is drawn without one', async () => {
  serve({ [path]: calibration({ by_price: [cell(0, { band: null }), cell(0.25), cell(0.5)] }) })
  await show(<Prices coin="BTC" type="15m" />)
  assert.equal(all('circle').length, 3)
  assert.equal(all('line.band').length, 2)
})
