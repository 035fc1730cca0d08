import { Rules, RULES } from './rules'
import { all, one, resized, show, texts } from '../test/dom.mjs'
import { at } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const rule = (pnl, more = {}) => ({
  total_pnl: pnl.at(-1) ?? 0,
  trades: pnl.length,
  fill_rate: 0.5,
  filled_if_won: 0.25,
  filled_if_lost: null,
  equity_curve: pnl.map((x, i) => ({ time: at(i * 900), pnl: x })),
  ...more,
})
const queue = { through: rule([-1, -4]), back: rule([2]), front: rule([]) }

test('rules: what each gives, which was traded, and a curve each', async () => {
  await show(<Rules queue={queue} own="back" />)
  assert.deepEqual(texts('dt'), ['through', 'back, traded here', 'front'])
  const filled = '50.0% of the shares filled, 25.0% where its token won, – where it lost'
  assert.deepEqual(texts('dd'), [
    '−$4.00only what must have met the order: ' + filled,
    '+$2.00behind all who stood there: ' + filled,
    '$0.00before all of them: ' + filled,
  ])
  assert.deepEqual([texts('dd.loss').length, texts('dd.gain').length], [1, 1])
  for (const t of ['0', '−4', '+2']) assert.ok(texts('text').includes(t), t)
  assert.deepEqual(
    RULES.map((name) => all('path.line.' + name).length),
    [1, 1, 1],
  )
  assert.equal(
    one('[role=img]').getAttribute('aria-label'),
    'Equity over time under each rule, at the end: through −$4.00 after 2, back +$2.00 after 1, front $0.00 after 0',
  )
  const ys = all('text.name').map((e) => Number(e.getAttribute('y')))
  assert.ok(
    ys.every((y, i) => i === 0 || y - ys[i - 1] >= 12),
    ys.join(),
  )
})

test('rules: nothing filled, then another run whose orders did', async () => {
  const none = { through: rule([]), back: rule([]), front: rule([]) }
  await show(<Rules queue={none} own="through" />)
  assert.equal(all('svg').length, 0)
  assert.deepEqual(
    texts('dd').map((s) => s.slice(0, 5)),
    ['$0.00', '$0.00', '$0.00'],
  )
  await show(<Rules queue={queue} own="through" />)
  await resized(330)
  assert.equal(one('svg').getAttribute('width'), '330')
})
