import { Distribution } from './distribution'
import { all, one, resized, show, texts } from '../test/dom.mjs'
import { report } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const counts = () => texts('g text').map(Number)

test('distribution: every trade is counted once, and losses are hatched', async () => {
  await show(<Distribution report={report([-20, -4, -4, 15, 15.5, 0])} />)
  assert.equal(
    counts().reduce((a, b) => a + b),
    6,
  )
  const heights = (kind) => all('rect.' + kind).map((r) => Number(r.getAttribute('height')))
  assert.equal(heights('losing').length, 2)
  assert.ok(Math.max(...heights('losing')) >= Math.max(...heights('g'))) // two of them are alike
  assert.match(
    one('[role=img]').getAttribute('aria-label'),
    /over 6 trades, from −\$20\.00 to \+\$15\.50/,
  )
})

test('distribution: one trade, all alike, and as wide as there is room', async () => {
  await show(<Distribution report={report([0])} />)
  assert.deepEqual(counts(), [1])
  await show(<Distribution report={report([3, 3, 3])} />)
  assert.deepEqual(counts(), [3])
  for (const wide of [330, 900]) {
    await resized(wide)
    assert.equal(one('svg').getAttribute('width'), String(wide))
    for (const r of all('rect.g')) assert.ok(Number(r.getAttribute('x')) < wide)
  }
})
