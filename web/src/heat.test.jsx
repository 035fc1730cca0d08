import { Heat, keys } from './heat'
import {
  all,
  asked,
  document,
  does,
  held,
  one,
  painted,
  point,
  rows,
  serve,
  show,
  text,
  texts,
} from '../test/dom.mjs'
import { at, book, refusal, trade } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const t = trade(28, 0, {
  legs: [
    {
      action: 'buy',
      token: 'up',
      signal: at(59.75),
      time: at(60),
      fee: 0.5,
      levels: [[0.35, 142.86]],
    },
    {
      action: 'sell',
      token: 'up',
      signal: at(432),
      time: at(432.5),
      fee: 0.75,
      levels: [[0.55, 142.86]],
    },
  ],
})
const books = [
  book(60, [[0.34, 100]], [[0.35, 200]]),
  book(100, [], [[0.36, 5]]),
  book(430, [[0.55, 300]], [[0.56, 10]]),
]
const x = {
  conditions: [
    { condition: { type: 'price', token: 'up' }, value: 0.34 },
    { condition: { type: 'time_elapsed' }, value: 60 },
  ],
  before: { conditions: [{ condition: { type: 'price', token: 'up' }, value: 0.36 }] },
  judged: [{ trigger: true, executable_bid: 0.55, take_profit: 0.55, stop_loss: 0.2 }],
}
const heat = (more = {}) => <Heat t={t} x={x} rule="through" books="/b" gaps="/g" {...more} />
const step = (name, ...given) => does(() => keys[name](...given))

test('heat: what is asked, and the instants of the trade', async () => {
  serve({ 'GET /b?*': { data: books }, 'GET /g': { data: [] } })
  await show(heat())
  assert.equal(
    asked[0].name === 'GET /g' ? asked[1].name : asked[0].name,
    'GET /b?start_ts=2026-04-13T12:00:45Z&end_ts=2026-04-13T12:07:25Z&resolution=5s&limit=200',
  )
  assert.deepEqual(texts('.steps li'), [
    "12:00:59.750 signalUp's price 0.360 → 0.340",
    '+250 ms, bought142.86 at 0.3500, fee 0.50',
    '12:07:12.000 take profitexecutable bid 0.5500',
    '+500 ms, sold142.86 at 0.5500, fee 0.75',
  ])
  assert.match(
    one('canvas').getAttribute('aria-label'),
    /^Order book of Up .* at 0\.3500, exit at .* at 0\.5500\.$/,
  )
  assert.match(one('canvas').dataset.drawn, /^btc-updown-15m-\d+ 5s$/)
  const named = painted.filter(([name]) => name === 'fillText').map(([, words]) => words)
  for (const name of ['asks', 'bids', 'held 6m12s', 'take profit 0.55', 'stop loss 0.20'])
    assert.ok(named.includes(name), name)
  assert.deepEqual(rows(), [
    ['12:01:00', '0.340', '100.00', '0.350', '200.00'],
    ['12:01:40', '–', '', '0.360', '5.00'],
    ['12:07:10', '0.550', '300.00', '0.560', '10.00'],
  ])
})

test('heat: a settlement, a merge, and an exit of which nothing is known', async () => {
  serve({ 'GET /b?*': { data: [] } })
  const buy = t.legs[0]
  const leg = (action, levels) => ({ action, time: at(900), fee: 0, levels })
  for (const [legs, last] of [
    [[buy, leg('settle', [[1, 142.86]])], '12:15:00.000 settled142.86 at 1.00 a share'],
    [[buy, leg('merge', [[0.5, 40]])], '12:15:00.000 merged40.00 pairs for $1 each'],
    [undefined, '12:07:12.500 take profitat 0.5500'],
  ]) {
    await show(heat({ t: { ...t, legs }, x: undefined, gaps: undefined }))
    assert.equal(texts('.steps li').at(-1), last)
  }
  assert.ok(!document.body.textContent.includes('NaN'))
})

test('heat: the book is read by keys, column by column and price by price', async () => {
  serve({ 'GET /b?*': { data: books }, 'GET /g': { data: [] } })
  await show(heat())
  assert.equal(text('.told'), '')
  await step('step', 1) // the first leads to the entry
  assert.equal(text('.told'), '12:01:00: bid 0.34 × 100.00, ask 0.35 × 200.00')
  await step('step', 8)
  assert.equal(text('.told'), '12:01:40: no bid, ask 0.36 × 5.00')
  await step('step', 1)
  assert.equal(text('.told'), '12:01:45: no book')
  await step('to', 'exit')
  assert.match(text('.told'), /^12:07:10: bid 0\.55 × 300\.00/)
  await step('price', 1)
  assert.match(text('.told'), /; 12:07:10, 0\.55: 300\.00 shares bid$/)
  await step('price', 1)
  assert.match(text('.told'), /; 12:07:10, 0\.56: 10\.00 shares asked$/)
  await step('price', 1)
  assert.match(text('.told'), /; 12:07:10, 0\.57: nothing$/)
  await step('step', 10_000)
  await step('step', -10_000)
  assert.match(text('.told'), /^12:00:45/)
})

test('heat: it says what is under the pointer', async () => {
  serve({ 'GET /b?*': { data: books }, 'GET /g': { data: [] } })
  await show(heat())
  await point('pointermove', one('canvas'), { clientX: 300, clientY: 150 })
  assert.match(text('.cross span'), /^\d\d:\d\d:\d\d, 0\.\d\d: nothing$/)
  const side = () => [one('.cross span').style.left !== '', one('.cross span').style.right !== '']
  await point('pointermove', one('canvas'), { clientX: 100, clientY: 150 })
  assert.deepEqual(side(), [true, false])
  await point('pointermove', one('canvas'), { clientX: 500, clientY: 150 })
  assert.deepEqual(side(), [false, true]) // there is more room on the left
  await point('pointermove', one('canvas'), { clientX: 2, clientY: 2 }) // the margin
  assert.equal(all('.cross').length, 0)
  await point('pointerdown', one('canvas'), { clientX: 300, clientY: 150 })
  assert.match(text('.told'), /no book$/)
})

test('heat: a key for a book that is not there yet leads there when it is', async () => {
  const late = held()
  serve({ 'GET /b?*': () => late.answer, 'GET /g': { data: [] } })
  await show(heat())
  await step('to', 'exit')
  assert.equal(text('.told'), '')
  await late.free({ data: books })
  assert.match(text('.told'), /^12:07:10/)
})

test('heat: coarser and finer; declared gaps are told; a book that cannot be had', async () => {
  const gap = { token_id: t.token_id, from: at(95), to: at(99) }
  serve({ 'GET /b?*': { data: books }, 'GET /g': { data: [gap, { ...gap, token_id: 'other' }] } })
  await show(heat())
  await step('to', 'entry')
  await step('step', 7)
  assert.match(text('.told'), /no book; in a gap that the source declares$/)
  await step('coarser', 1)
  assert.match(asked.at(-2).name + asked.at(-1).name, /resolution=15s/)
  serve({ 'GET /b?*': refusal(503, 'the book is away') })
  await step('coarser', 1)
  assert.match(text(), /the book is away/)
  const n = asked.length
  for (let i = 0; i < 9; i++) await step('coarser', 1)
  assert.match(asked.at(-1).name + asked.at(-2).name, /resolution=1h/)
  await step('coarser', 1) // there is none beyond
  assert.ok(asked.length - n <= 16)
})

test('heat: gaps that cannot be asked hide no book', async () => {
  serve({ 'GET /b?*': { data: books }, 'GET /g': refusal(503, 'away') })
  await show(heat())
  assert.equal(rows().length, 3)
})
