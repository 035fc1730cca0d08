import { now, set } from './bench'
import { Dock, RunButton, runNow } from './runbutton'
import {
  asked,
  button,
  does,
  held,
  passes,
  press,
  serve,
  show,
  streams,
  text,
} from '../test/dom.mjs'
import { prompt, refusal, run } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const made = 'POST /app/v1/ai/backtests'

test('runbutton: Run, Run again, and when neither can be pressed', async () => {
  const shown = async (state) => {
    set(state)
    await show(<RunButton s={now()} />)
    return [text('button span'), button(/./).disabled]
  }
  assert.deepEqual(await shown({ prompt }), ['Run', false])
  assert.deepEqual(await shown({ run: run() }), ['Run again', false])
  assert.deepEqual(await shown({ prompt: prompt + '!' }), ['Run', false])
  assert.deepEqual(await shown({ prompt: ' ' }), ['Run', true])
  assert.deepEqual(await shown({ prompt: '😀'.repeat(2000) }), ['Run', false])
  assert.deepEqual(await shown({ prompt: '😀'.repeat(2001) }), ['Run', true])
  assert.deepEqual(await shown({ prompt, problem: { code: 'plan_required' } }), ['Run again', true])
})

test('runbutton: it runs the sentence, leads to the run, and stops it', async () => {
  serve({
    [made]: [202, run('run_2', { state: 'queued' })],
    'POST /app/v1/ai/backtests/run_2/cancel': {},
  })
  set({ prompt })
  await show(<Dock />)
  await press(/^Run/)
  assert.equal(asked[0].body.prompt, prompt)
  assert.match(asked[0].headers['Idempotency-Key'], /^[0-9a-f]{32}$/)
  assert.equal(location.pathname, '/runs/run_2')
  assert.equal(streams[0].url, '/app/v1/ai/backtests/run_2/events')
  await press(/^Stop/)
  assert.match(asked.at(-1).name, /run_2\/cancel$/)
})

test('runbutton: who has gone elsewhere in the meantime is not led away', async () => {
  const late = held()
  serve({ [made]: () => late.answer })
  set({ prompt })
  await does(() => void runNow())
  history.pushState(null, '', '/markets')
  await late.free([202, run('run_2', { state: 'queued' })])
  assert.equal(location.pathname, '/markets')
  assert.equal(now().live.id, 'run_2')
})

test('runbutton: it counts down until the server takes a run again', async () => {
  serve({ [made]: refusal(429, 'too many', {}, { 'Retry-After': '3' }) })
  set({ prompt })
  await show(<Dock />)
  await press(/^Run/)
  assert.equal(text(), 'Try again in 3 s')
  assert.equal(button(/^Try again/).disabled, true)
  await passes(1100)
  assert.equal(text(), 'Try again in 2 s')
  await passes(2000)
  assert.match(text(), /^Run/)
})
