import { Grid } from './grid'
import { all, button, document, focus, key, one, press, show, texts } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const variant = (number, mean_pnl, more = {}) => ({
  number,
  trades: 40,
  mean_pnl,
  mean_pnl_interval: [mean_pnl - 1, mean_pnl + 1],
  eligible: true,
  verdict: 'no_edge',
  survives: false,
  ...more,
})
const places = [
  { field: 'entry.0.threshold', name: 'Up’s price', unit: 'price' },
  { field: 'exit.take_profit', name: 'take profit', unit: 'price' },
]
const sweep = {
  axes: [
    { field: 'entry.0.threshold', values: [0.3, 0.35] },
    { field: 'exit.take_profit', values: [0.5, 0.55, 0.6] },
  ],
  variants: [
    variant(1, 2, { survives: true, verdict: 'positive' }),
    variant(2, -4, { verdict: 'negative' }),
    variant(3, 1, { eligible: false, trades: 1 }),
    variant(4, null, { trades: 0 }),
    variant(5, 0.5),
  ],
  cells: [1, 2, 3, 4, 5, 0],
  invalid: [{ values: [0.35, 0.6], reason: 'the target is <b>' }],
  own: { values: [0.35, 0.55] },
}
const picked = []
const grid = <Grid sweep={sweep} places={places} pick={(v) => picked.push(v)} />
const at = () => all('td button').indexOf(document.activeElement)

test('grid: a cell each pair of values, with its mean, its look and what it means', async () => {
  await show(grid)
  assert.match(one('caption').textContent, /Up’s price down, take profit across/)
  assert.deepEqual(texts('thead th'), ['50c', '55c', '60c'])
  assert.deepEqual(texts('tbody th'), ['30c', '35c'])
  assert.deepEqual(texts('td button'), ['+2.00 ◆', '−4.00 •', '+1.00', '–', '+0.50', ''])
  assert.deepEqual(
    all('tbody td').map((td) => td.className),
    ['pos', 'neg', 'pale', 'pale', 'pos cur', 'void'],
  )
  const name = 'Up’s price 30c, take profit '
  assert.deepEqual(
    all('td button').map((b) => b.title),
    [
      name +
        '50c: +$2.00 per trade over 40 trades, 95% interval +$1.00 to +$3.00, which excludes zero, survives',
      name +
        '55c: −$4.00 per trade over 40 trades, 95% interval −$5.00 to −$3.00, which excludes zero',
      name + '60c: +$1.00 per trade over 1 trade, too few for a verdict',
      'Up’s price 35c, take profit 50c: no trades',
      'Up’s price 35c, take profit 55c: +$0.50 per trade over 40 trades, 95% interval −$0.50 to +$1.50',
      'Up’s price 35c, take profit 60c: no valid strategy: the target is <b>',
    ],
  )
})

test('grid: arrows move from the sentence’s own cell, and no further than the edge', async () => {
  await show(grid)
  const own = all('td button').find((b) => b.tabIndex === 0)
  assert.match(own.getAttribute('aria-label'), /; the sentence itself$/)
  await focus(own)
  for (const [pressed, to] of [
    ['ArrowRight', 5],
    ['ArrowRight', 5],
    ['ArrowDown', 5],
    ['ArrowUp', 2],
    ['ArrowLeft', 1],
    ['ArrowLeft', 0],
    ['ArrowLeft', 0], // not to the end of the row before
  ]) {
    assert.ok(await key(pressed))
    assert.equal(at(), to, pressed)
  }
  assert.equal(await key('ArrowRight', { altKey: true }), false)
  const heard = []
  const hear = (e) => heard.push(e.key)
  document.body.addEventListener('keydown', hear)
  await key('ArrowRight') // no key of the page
  await key('x')
  document.body.removeEventListener('keydown', hear)
  assert.deepEqual(heard, ['x'])
  assert.equal(all('td button').filter((b) => b.tabIndex === 0).length, 1)
})

test('grid: a cell is picked, but not the sentence itself, nor what is no strategy', async () => {
  picked.length = 0
  await show(grid)
  for (const b of all('td button')) await press(b)
  assert.deepEqual(picked, [
    [0.3, 0.5],
    [0.3, 0.55],
    [0.3, 0.6],
    [0.35, 0.5],
  ])
  assert.equal(button(/the sentence itself/).getAttribute('aria-disabled'), 'true')
})

test('grid: one number is a row', async () => {
  await show(
    <Grid
      sweep={{
        ...sweep,
        axes: sweep.axes.slice(1),
        cells: [1, 2, 3],
        invalid: [],
        own: { values: [0.5] },
      }}
      places={[]}
      pick={() => {}}
    />,
  )
  assert.equal(all('tbody tr').length, 1)
  assert.match(one('caption').textContent, /USD exit\.take profit across/)
  assert.deepEqual(texts('thead th'), ['0.5', '0.55', '0.6'])
})

test('grid: the sentence’s own cell is that of both its numbers', async () => {
  const own = { values: [0.3, 0.6] }
  await show(<Grid sweep={{ ...sweep, own }} places={places} pick={() => {}} />)
  assert.deepEqual(
    all('tbody td').map((td) => td.classList.contains('cur')),
    [false, false, true, false, false, false],
  )
})
