import { now, set } from './bench'
import { actions, Meta } from './meta'
import {
  all,
  asked,
  button,
  buttons,
  clipboard,
  does,
  empty,
  one,
  press,
  serve,
  show,
  text,
} from '../test/dom.mjs'
import { page, refusal, run } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const path = '/app/v1/ai/backtests/run_1'
const meta = <Meta id="run_1" />
async function shown(more = {}, tries = []) {
  set({ run: run('run_1', more), tries })
  await show(meta)
}

test('meta: when a run was made, over how much and in how long', async () => {
  await shown()
  assert.equal(text('.num'), 'Run 1 · 2026-04-20 11:00:00 UTC · 100 rounds in 2.50 s')
  await shown({ cached: true, ended_at: '2026-04-20T11:02:05Z' })
  assert.match(text('.num'), /in 125 s · the result of an earlier run of the same strategy/)
  await shown({ result: null, ended_at: null })
  assert.equal(text('.num'), 'Run 1 · 2026-04-20 11:00:00 UTC')
  assert.deepEqual(buttons(), ['Forget'])
  set({ run: undefined })
  await show(<Meta key="none" id="run_1" />)
  assert.ok(empty())
})

test('meta: it is shared by a link, which is copied, and withdrawn', async () => {
  serve({ [`POST ${path}/share`]: { token: 'secret' }, [`DELETE ${path}/share`]: [204] })
  await shown()
  await press('Share')
  assert.deepEqual(clipboard, ['http://house/r/secret'])
  assert.equal(
    text('.link'),
    'http://house/r/secret Copied. Whoever has the link can read this run.',
  )
  assert.equal(one('.link a').getAttribute('href'), '/r/secret')
  assert.ok(buttons().includes('New link'))
  await press('Withdraw link')
  assert.equal(text('.link'), 'The link leads nowhere from now on.')
  assert.equal(all('.link a').length, 0)
  assert.deepEqual([now().run.shared, buttons().includes('Withdraw link')], [false, false])
})

test('meta: what was refused is told', async () => {
  serve({ [`POST ${path}/share`]: refusal(403, 'viewers <share> nothing') })
  await shown()
  await does(() => actions.share()) // by its key
  assert.equal(text('.link'), 'viewers <share> nothing')
  assert.equal(now().run.shared, false)
})

test('meta: it leads to its neighbours, and to the run before of the same series', async () => {
  const before = (id, more) => run(id, { created_at: '2026-04-19T11:00:00Z', ...more })
  await shown({}, [
    run('run_1'),
    before('run_e', { coin: 'ETH' }),
    before('run_f', { state: 'failed' }),
    before('run_later', { created_at: '2026-04-20T12:00:00Z' }),
    before('run_0'),
  ])
  assert.equal(button('Neighbours').getAttribute('href'), '/runs/run_1/neighbours')
  assert.equal(button('Compare').getAttribute('href'), '/runs/run_0/compare/run_1')
  await does(() => actions.before())
  assert.equal(location.pathname, '/runs/run_0/compare/run_1')
  await shown()
  assert.equal(actions.before, undefined)
  assert.ok(!all('a').some((a) => a.textContent === 'Compare'))
})

test('meta: forgotten, it leads to where one writes, unless somebody has gone elsewhere', async () => {
  serve({ [`DELETE ${path}`]: [204], 'GET /app/v1/ai/backtests?*': page([]) })
  history.replaceState(null, '', '/runs/run_1')
  await shown()
  await press('Forget')
  await press('Forget for good')
  assert.equal(asked[0].name, `DELETE ${path}`)
  assert.equal(now().run, undefined)
  assert.equal(location.pathname, '/')
  history.replaceState(null, '', '/markets')
  await shown()
  await press('Forget')
  await press('Forget for good')
  assert.equal(location.pathname, '/markets')
})
