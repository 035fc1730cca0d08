import { Compare } from './compare'
import { all, document, held, one, rows, serve, show, text, texts } from '../test/dom.mjs'
import { prompt, refusal, report, run, summary } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const runs = 'GET /app/v1/ai/backtests/'
const comparison = (more = {}) => ({
  words: {
    answer: 'B made more',
    why: 'By $2.00 a round.',
    numbers: [
      ['total pnl', '+$3.00', '+$9.00', '+$6.00'],
      ['win rate', '50.0%', '60.0%', '+10.0 pp'],
      ['mean pnl', '+$1.00', '+$3.00', '+$2.00'],
    ],
  },
  numbers: ['total_pnl', 'win_rate', 'mean_pnl'].map((name) => ({ name })),
  paired: { mean_difference: 2, interval: [1, 3] },
  equal: 1000,
  changed: [
    {
      market_id: 'market_0',
      market_slug: 'btc-updown-15m-1776081600',
      pnl_a: 5,
      pnl_b: -2,
      pnl_change: -7,
      fields: [
        { field: 'exit_reason', a: '"take_profit"', b: '"stop_loss"' },
        { field: 'exit_price', a: '0.55', b: '0.2' },
        { field: 'pnl', a: '5', b: '-2' },
      ],
    },
  ],
  only_a: [{ market_id: 'market_1', market_slug: 'btc-updown-15m-1776082500', pnl: -3 }],
  only_b: [{ market_id: 'market_2', market_slug: 'btc-updown-15m-1776083400', pnl: 1 }],
  exits: [{ a: 'take_profit', b: 'stop_loss', trades: 1, pnl_change: -7 }],
  ...more,
})
const other = run('run_b', {
  prompt: prompt.replace('35 cents', '30 <b>cents</b>'),
  summary: summary.replace('35c', '30c'),
})
const both = (c = comparison(), a = run('run_a'), b = other) =>
  serve({ [runs + 'run_a/compare/run_b']: c, [runs + 'run_a']: a, [runs + 'run_b']: b })

test('compare: the answer, in words and as a picture, and the sentences with what differs', async () => {
  both()
  await show(<Compare a="run_a" b="run_b" />)
  assert.equal(document.title, 'Compare · Ladderback')
  assert.equal(text('h1'), 'B made more')
  assert.equal(all('.interval [role=img]').length, 1)
  assert.equal(all('.curves path').length, 2)
  assert.deepEqual(
    all('h2 a').map((a) => [a.getAttribute('href'), a.textContent]),
    ['a', 'b'].map((id) => ['/runs/run_' + id, 'run of Apr 20 11:00 UTC']),
  )
  assert.deepEqual([texts('del'), texts('ins')], [['35 cents,'], ['30 <b>cents</b>,']])
  assert.deepEqual(rows('.stack tbody'), [
    ['When', "Up's price is below 35c", "Up's price is below 30c"],
  ])
})

test('compare: the numbers with their intervals', async () => {
  both()
  await show(<Compare a="run_a" b="run_b" />)
  assert.deepEqual(rows('.numbers tbody'), [
    ['total pnl', '+$3.00', '', '+$9.00', '', '+$6.00'],
    ['win rate', '50.0%', '40.0% to 60.0%', '60.0%', '40.0% to 60.0%', '+10.0 pp'],
    ['mean pnl', '+$1.00', '$0.00 to +$2.00', '+$3.00', '$0.00 to +$2.00', '+$2.00'],
  ])
})

test('compare: the trades that differ lead to their runs', async () => {
  both()
  await show(<Compare a="run_a" b="run_b" />)
  assert.match(text(), /1,000 equal, 1 changed, 1 only in A, 1 only in B/)
  assert.match(text(), /take profit → stop loss: 1 trade, −\$7\.00/)
  assert.deepEqual(rows('.scroll tbody'), [
    [
      'Apr 13 12:00',
      'exit reason take profit → stop loss, exit price 0.5500 → 0.2000',
      ...['+$5.00', '−$2.00', '−$7.00'],
    ],
    ['Apr 13 12:15', 'only in A', '−$3.00', '–', '+$3.00'],
    ['Apr 13 12:30', 'only in B', '–', '+$1.00', '+$1.00'],
  ])
  assert.deepEqual(texts('.scroll td.loss'), ['−$7.00'])
  assert.deepEqual(
    all('.scroll a').map((a) => a.getAttribute('href')),
    ['/runs/run_a#trade=1', '/runs/run_b#trade=1', '/runs/run_a#trade=2', '/runs/run_b#trade=3'],
  )
})

test('compare: nothing in common, nothing traded, nothing that differs', async () => {
  const none = { result: { prompt, report: report([]) } }
  const bare = {
    changed: [],
    only_a: [],
    only_b: [],
    exits: [],
    paired: { mean_difference: null, interval: null },
  }
  both(comparison(bare), run('run_a', none), run('run_b', none))
  await show(<Compare a="run_a" b="run_b" />)
  assert.match(text(), /Neither run traded\./)
  assert.equal(all('.interval, .stack, .scroll').length, 0)
})

test('compare: not there yet; not to be had; and then two others', async () => {
  const late = held()
  both(() => late.answer)
  await show(<Compare a="run_a" b="run_b" />)
  assert.equal(one('main').getAttribute('aria-busy'), 'true')
  await late.free(refusal(404, 'no such run'))
  assert.equal(text('[role=alert]'), 'Refused. no such run')
  serve({ [runs + 'run_a/compare/run_c']: comparison(), [runs + 'run_c']: other })
  await show(<Compare a="run_a" b="run_c" />)
  assert.equal(text('h1'), 'B made more')
})
