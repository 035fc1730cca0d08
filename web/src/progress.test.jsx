import { set } from './bench'
import { Progress } from './progress'
import { asked, button, one, passes, press, serve, show, text } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const live = (more = {}) => ({
  id: 'run_1',
  state: 'running',
  phase: 'strategy',
  done: 370,
  total: 1000,
  since: Date.now(),
  lost: false,
  ...more,
})

test('progress: how far a run is, for how long, and where its connection is lost', async () => {
  await show(<Progress live={live()} />)
  assert.match(text(), /^Strategy: 370 of 1,000 rounds\s*0s\s*Stop$/)
  assert.equal(one('progress').getAttribute('value'), '0.37')
  assert.equal(one('.progress').getAttribute('role'), 'status')
  await passes(61_000)
  assert.match(text(), /1m01s/)
  await show(<Progress live={live({ phase: 'baseline', lost: true })} />)
  assert.match(text(), /^Baseline: 370 of 1,000/)
  assert.match(text(), /Connection lost; trying again\. The run goes on/)
  await show(<Progress live={live({ state: 'queued' })} />)
  assert.match(text(), /^Waiting for a place to run/)
  await show(<Progress live={live({ total: 0 })} />)
  assert.match(text(), /^Starting/)
  assert.equal(one('progress').getAttribute('value'), null)
})

test('progress: Stop cancels the run, once it has a name', async () => {
  serve({ 'POST /app/v1/ai/backtests/run_1/cancel': {} })
  await show(<Progress live={live({ id: '' })} />)
  assert.equal(button('Stop').disabled, true)
  set({ live: live() })
  await show(<Progress live={live()} />)
  await press('Stop')
  assert.deepEqual(
    asked.map((a) => a.name),
    ['POST /app/v1/ai/backtests/run_1/cancel'],
  )
})
