import { Interval } from './interval'
import { all, empty, one, resized, show, text, texts } from '../test/dom.mjs'
import { report } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const x = (e, name = 'x') => Number(e.getAttribute(name))

test('interval: the mean lies in its interval, right of zero when it is a gain', async () => {
  await show(<Interval report={report([2, 2])} />)
  const [ci, mean, zero] = [one('rect.ci'), one('circle.mean'), one('line.zero[x1][y2="46"]')]
  assert.ok(x(ci) < x(mean, 'cx') && x(mean, 'cx') < x(ci) + x(ci, 'width'))
  assert.ok(x(zero, 'x1') < x(mean, 'cx'))
  assert.equal(
    one('[role=img]').getAttribute('aria-label'),
    'Mean +$2.00 per trade, 95% interval from +$1.00 to +$3.00; baseline −$0.50',
  )
  for (const t of ['+2.00', '+1.00', '+3.00', '0', '+1', '+3'])
    assert.ok(texts('text').includes(t), t)
  for (const e of all('text')) assert.ok(x(e) > 8 && x(e) < 392, e.textContent)
  assert.match(text('.key'), /interval.*baseline/)
})

test('interval: too few trades for one, no baseline, none at all', async () => {
  const bare = report([-3])
  bare.stats.mean_pnl_interval = null
  await show(<Interval report={{ ...bare, baseline: undefined }} />)
  assert.equal(one('[role=img]').getAttribute('aria-label'), 'Mean −$3.00 per trade')
  assert.equal(all('rect.ci, path.base').length, 0)
  assert.equal(text('.key'), '● mean pnl per trade, USD')
  await show(<Interval key="none" report={report([])} />)
  assert.ok(empty())
})

test('interval: the ends give way to the mean where they would run into it', async () => {
  const near = report([1, 1])
  near.stats.mean_pnl_interval = [0.99, 1.01]
  await show(<Interval report={{ ...near, baseline: null }} />)
  await resized(330)
  assert.ok(!texts('text').includes('+0.99'))
  assert.ok(texts('text').includes('+1.00'))
})
