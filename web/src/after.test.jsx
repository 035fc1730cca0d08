import { After } from './after'
import { empty, rows, show, text, texts } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const one = (first) => ({
  markout_1s: first,
  markout_5s: 0.02,
  markout_30s: null,
  markout_settlement: 0.65,
  mae: -0.14,
  mfe: 0.03,
})
const of = (long, drawdown = { median: 310.94, p95: 1543.76 }) => ({
  after: {
    markouts: ['1s', '5s', '30s', 'settlement'].map((after, i) => ({
      after,
      trades: 40 - i,
      mean: i === 2 ? null : 0.01 * i - 0.005,
      interval: i ? null : [-0.015, 0.005],
    })),
    mean_mae: -0.1,
    mean_mfe: 0.12,
    min_track_record: long,
    drawdown,
    trades: [one(-0.01), one(0.0125)],
  },
  stats: { max_drawdown: 230.2 },
})

test('after: markouts and excursions, their means and those of the chosen trade', async () => {
  await show(<After report={of(1234)} chosen={2} />)
  const few = 'too few trades'
  assert.deepEqual(
    rows().map(([name, , ...r]) => [name, ...r]),
    [
      ['1 s after', '−0.0050', '−0.0150 to +0.0050', '+0.0125'],
      ['5 s after', '+0.0050', few, '+0.0200'],
      ['30 s after', '–', few, '–'], // not known of any trade
      ['at settlement', '+0.0250', few, '+0.6500'],
      ['worst until the exit', '−0.1000', '', '−0.1400'],
      ['best until the exit', '+0.1200', '', '+0.0300'],
    ],
  )
  await show(<After report={of(1234)} chosen={1} />)
  assert.equal(rows()[0].at(-1), '−0.0100')
  assert.equal(texts('thead th').at(-1), 'trade 1')
  assert.match(text(), /after 1,234 trades, were they independent; there are 2\./)
  assert.match(text(), /\$310\.94 in the middle, \$1,543\.76 or more in 1 of 20; it was \$230\.20/)
})

test('after: no number of trades would do; no drawdown; nothing where it was not asked for', async () => {
  await show(<After report={of(null, null)} chosen={1} />)
  assert.match(text(), /No number of trades like these/)
  assert.doesNotMatch(text(), /drawdown/)
  await show(<After report={{ stats: {} }} chosen={1} />)
  assert.ok(empty())
})
