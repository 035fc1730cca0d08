import { Tiles } from './tiles'
import { press, show, text, texts } from '../test/dom.mjs'
import { words } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

test('tiles: a number each, with what bounds it, and what it is for who asks', async () => {
  await show(<Tiles words={words()} />)
  assert.deepEqual(texts('.nums > div'), ['trades3of 100 markets', 'total pnl−$12.00after fees'])
  assert.deepEqual(texts('dd.loss'), ['−$12.00after fees'])
  assert.deepEqual(texts('dd.gain'), [])
  await press('total pnl')
  assert.equal(text('[role=tooltip]'), 'All of it.')
})
