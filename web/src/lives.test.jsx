import { Lives, named } from './lives'
import { all, button, one, press, rows, show, text, texts } from '../test/dom.mjs'
import { at } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const wear = (seconds, ahead, filled, more = {}) => ({
  time: at(seconds),
  before: 300,
  ahead,
  at: 0,
  below: 0,
  offered: null,
  filled,
  ...more,
})
const life = (more = {}) => ({
  order: 'entry',
  action: 'buy',
  token: 'up',
  price: 0.45,
  accepted: at(1),
  ended: at(61),
  end: 'filled',
  shares: 100,
  filled: 60,
  taken: 0,
  ahead: 1200,
  wear: [wear(20, 500, 0, { at: 700 }), wear(40, 0, 60, { below: 12, offered: 5 })],
  ...more,
})
const resting = {
  through: [life()],
  back: [],
  front: [
    life({ ahead: null, taken: 20 }),
    life({ order: 'then.1', action: 'sell', token: 'down' }),
  ],
}

test('lives: orders are named as the summary counts them', () => {
  assert.equal(named(life()), 'entry: bid Up 0.45')
  assert.equal(
    named(life({ order: 'then.1', action: 'sell', token: 'down', price: 0.455 })),
    'order 2: ask Down 0.455',
  )
})

test('lives: what stood before an order, what wore it off and what filled it', async () => {
  await show(<Lives resting={resting} rule="through" choose={() => {}} />)
  assert.equal(
    text('.life > p'),
    'entry: bid Up 0.45 12:00:01.0 to 12:01:01.0, then filled: 60.00 of 100.00 shares; queue ahead 1,200.00',
  )
  assert.equal(
    one('[role=img]').getAttribute('aria-label'),
    'Queue ahead of entry: bid Up 0.45: 1,200.00 as it came to rest, 0.00 at the end',
  )
  assert.deepEqual(rows(), [
    ['12:00:20.00', '300.00', '700.00', '', '–', ''],
    ['12:00:40.00', '300.00', '', '12.00', '5.00', '60.00'],
  ])
  assert.equal(all('rect.got').length, 1)
})

test('lives: the rule is chosen; none rested; what stood before it was not shown', async () => {
  const chosen = []
  const lives = (rule) => <Lives resting={resting} rule={rule} choose={(r) => chosen.push(r)} />
  await show(lives('back'))
  assert.match(text(), /None was accepted\.$/)
  assert.equal(button('back').getAttribute('aria-pressed'), 'true')
  assert.equal(button('front').getAttribute('aria-pressed'), 'false')
  await press('front')
  assert.deepEqual(chosen, ['front'])
  await show(lives('front'))
  assert.match(texts('.life > p')[0], /20\.00 of them at its arrival; queue ahead not shown$/)
  assert.equal(all('.life')[0].querySelector('path.ahead'), null)
  assert.ok(!document.body.innerHTML.includes('NaN'))
})
