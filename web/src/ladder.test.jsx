import { Ladder } from './ladder'
import { all, rows, show, text, texts } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const order = (more = {}) => ({
  action: 'buy',
  as_of: '2026-04-13T12:01:00.0005Z',
  arrival: '2026-04-13T12:01:00.25Z',
  cap: 0.4,
  levels: [
    { price: 0.35, shown: 120, taken: 120 },
    { price: 0.355, shown: 2400.5, taken: 22.86 },
    { price: 0.36, shown: null, taken: 0 },
  ],
  refused: null,
  ...more,
})

test('ladder: what was shown and what was taken, level by level', async () => {
  await show(<Ladder order={order()} title="The asks it met" />)
  assert.equal(text('h3'), 'The asks it met')
  assert.equal(text('p'), 'as of 12:01:00.000500, 250 ms old; cap 0.40')
  assert.deepEqual(
    rows().map((r) => r.slice(0, 3)),
    [
      ['0.35', '120.00', '120.00'],
      ['0.355', '2,400.50', '22.86'],
      ['0.36', '–', ''],
    ],
  )
  assert.equal(all('tr.tk').length, 2)
  assert.deepEqual(
    all('.wb i').map((i) => Math.round(parseFloat(i.style.width))),
    [5, 100, 0],
  )
  assert.equal(all('table.buy').length, 1)
})

test('ladder: no book, no levels, and why it was refused', async () => {
  await show(
    <Ladder
      order={order({ action: 'sell', as_of: null, cap: null, levels: [], refused: 'no book' })}
      title="The bids it sold into"
    />,
  )
  assert.equal(texts('p')[0], 'as of no book')
  assert.deepEqual(rows(), [])
  assert.equal(text('p.loss'), 'no book')
  assert.equal(all('table.sell').length, 1)
})

test('ladder: how old the book was, in what it is best counted in', async () => {
  for (const [arrival, old] of [
    ['2026-04-13T12:01:00.0025Z', '2.0 ms'],
    ['2026-04-13T12:01:00.9905Z', '990 ms'],
    ['2026-04-13T12:01:12.5005Z', '12.5 s'],
  ]) {
    await show(<Ladder order={order({ arrival })} title="" />)
    assert.ok(text('p').includes(`, ${old} old`), text('p'))
  }
})
