import { Remedies, Warnings } from './warnings'
import { buttons, empty, press, show, texts } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const remedies = [{ label: 'Leave out rounds with holes', options: { min_coverage: 0.9 } }]
const list = [
  { code: 'low_coverage', head: 'Low coverage', text: 'Some <b>are</b>.', remedies },
  { code: 'simulated', head: 'Simulated', text: 'x', remedies: [] },
]

test('warnings: each is told but for what the band over the page says', async () => {
  const told = []
  await show(<Warnings list={list} replay={(r) => told.push(r)} />)
  assert.deepEqual(texts('li'), ['Low coverage Some <b>are</b>. Leave out rounds with holes'])
  await press('Leave out rounds with holes')
  assert.deepEqual(told, remedies)
})

test('warnings: they offer nothing where nothing can be run; none are not there', async () => {
  await show(<Warnings list={list} />)
  assert.deepEqual(buttons(), [])
  await show(<Remedies list={remedies} />)
  assert.ok(empty())
  await show(<Warnings list={list.slice(1)} />)
  assert.ok(empty())
})
