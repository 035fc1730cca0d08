import { extent, Mini } from './mini'
import { all, one, show, text } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const mean = (mean_pnl, mean_pnl_interval = null) => ({ mean_pnl, mean_pnl_interval })

test('mini: all are on one scale, which holds zero', () => {
  assert.deepEqual(extent([mean(2, [1, 3]), mean(-7), mean(null)]), [-7, 3])
  assert.deepEqual(extent([mean(2, [1, 3])]), [0, 3])
  assert.deepEqual(extent([]), [0, 0])
})

test('mini: a mean, its interval and zero, and in words', async () => {
  await show(<Mini of={mean(2, [0, 4])} on={[-4, 4]} />)
  assert.equal(text(), '$0.00 to +$4.00')
  assert.deepEqual(
    [one('u').style.left, one('i').style.left, one('i').style.width, one('b').style.left],
    [...['50.0%', '50.0%', '50.0%', '75.0%']],
  )
  await show(<Mini of={mean(null)} on={[0, 0]} write={String} />)
  assert.equal(text(), 'too few trades')
  assert.equal(all('i, b').length, 0)
  assert.equal(one('u').style.left, '0.0%')
})
