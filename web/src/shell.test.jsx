import { now, set } from './bench'
import { keys } from './heat'
import { actions } from './meta'
import { screens } from './screens'
import { Shell } from './shell'
import {
  all,
  asked,
  document,
  does,
  key,
  one,
  press,
  serve,
  show,
  text,
  texts,
} from '../test/dom.mjs'
import { refusal, report, run } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const who = { organization: 'ada <b>', plan: 'pro' }
let left = 0
const shell = (more = {}) => (
  <Shell who={who} leave={() => left++} at={screens[1]} {...more}>
    <main id="result" tabIndex={-1}>
      <input aria-label="field" />
      <p class="scroll" tabIndex={0} />
      <p id="trade">
        <span class="told" />
      </p>
    </main>
  </Shell>
)
const band = () => texts('.simulated')

test('shell: the screens that somebody has, where one is, and who', async () => {
  left = 0
  await show(shell())
  assert.deepEqual(texts('nav a'), ['Workbench', 'Runs', 'Markets', 'Archive', 'API'])
  assert.equal(text('nav [aria-current=page]'), 'Runs')
  assert.equal(text('span.who'), 'ada <b> · pro')
  await press('Sign out')
  assert.equal(left, 1)
  await press('To the result')
  assert.ok(document.activeElement === one('#result'))
})

test('shell: simulated data is said on every screen, of which part, and of no other', async () => {
  await show(shell())
  assert.deepEqual(band(), [])
  await show(shell({ held: { names: [], all: false } }))
  assert.deepEqual(band(), [])
  await show(shell({ held: { names: ['crypto'], all: true } }))
  assert.match(band()[0], /^SIMULATED DATA\. No exchange made these prices\./)
  await show(shell({ held: { names: ['crypto', 'sports'], all: false } }))
  assert.match(band()[0], /No exchange made the simulated prices in crypto, sports\./)
  // What a run says holds for every screen, also after it has gone.
  await show(shell())
  const simulated = { warnings: [{ code: 'simulated' }] }
  await does(() => set({ run: run('run_1', { result: { report: report([1], simulated) } }) }))
  assert.equal(band().length, 1)
  await does(() => set({ run: undefined }))
  assert.equal(band().length, 1)
})

test('shell: G and a letter lead to a screen, if the second comes in time', async () => {
  await show(shell())
  for (const [first, second, path] of [
    ['g', 'm', '/markets'],
    ['G', 'A', '/archive'],
    ['g', 'x', '/archive'],
    ['x', 'r', '/archive'],
  ]) {
    await key(first, { on: document.body })
    await key(second, { on: document.body })
    assert.equal(location.pathname, path, first + second)
  }
})

test('shell: lists of commands and of keys', async () => {
  await show(shell())
  assert.ok(await key('k', { on: document.body, ctrlKey: true }))
  assert.equal(one('dialog').getAttribute('aria-label'), 'Commands')
  await key('Escape', { on: one('dialog') })
  assert.equal(all('dialog').length, 0)
  await key('?', { on: document.body })
  assert.equal(one('dialog').getAttribute('aria-label'), 'Keys')
  await key('g', { on: document.body }) // what a dialog hides hears none
  await key('m', { on: document.body })
  assert.equal(location.pathname, '/')
  await key('Escape', { on: one('dialog') })
  await press(/^Menu/)
  assert.equal(all('dialog').length, 1)
})

test('shell: keys of a run count where a run is on show, outside of fields', async () => {
  const did = []
  for (const name of ['step', 'to', 'coarser', 'price']) keys[name] = (x) => did.push([name, x])
  actions.share = () => did.push('share')
  actions.before = () => did.push('before')
  await show(shell())
  const body = { on: document.body }
  assert.equal(await key('j', body), false) // no run
  set({ run: run() })
  await key('j', body)
  assert.equal(now().trade, 2)
  await key('K', body)
  assert.equal(now().trade, 1)
  for (const [name, more] of [
    ...[
      ['ArrowRight'],
      ['ArrowLeft', { shiftKey: true }],
      ['Home'],
      ['End'],
      ['+'],
      ['-'],
      ['s'],
      ['c'],
    ],
  ])
    assert.ok(await key(name, { ...body, ...more }), name)
  assert.deepEqual(did, [
    ...[
      ['step', 1],
      ['step', -10],
      ['to', 'entry'],
      ['to', 'exit'],
      ['coarser', -1],
      ['coarser', 1],
    ],
    ...['share', 'before'],
  ])
  // The prices of a column are stepped through while one is read: until then the window scrolls.
  assert.equal(await key('ArrowUp', body), false)
  one('.told').textContent = 'a column'
  assert.ok(await key('ArrowUp', body))
  assert.deepEqual(did.at(-1), ['price', 1])
  const n = did.length
  assert.equal(await key('ArrowRight', { on: one('.scroll') }), false) // the list scrolls
  assert.equal(await key('s', { on: one('input') }), false)
  assert.equal(await key('s', { ...body, altKey: true }), false)
  localStorage.setItem('letters', 'off')
  assert.equal(await key('s', body), false)
  localStorage.clear()
  history.replaceState(null, '', '/markets')
  assert.equal(await key('s', body), false)
  history.replaceState(null, '', '/runs/run_1')
  await key('n', body)
  assert.equal(location.pathname, '/runs/run_1/neighbours')
  assert.equal(did.length, n)
  for (const o of [keys, actions]) for (const name of Object.keys(o)) delete o[name]
})

test('shell: Ctrl Enter runs, Escape stops; in a field it leaves the field', async () => {
  serve({
    'POST /app/v1/ai/backtests': [202, run('run_2', { state: 'queued' })],
    'POST /app/v1/ai/backtests/run_2/cancel': refusal(403, 'no'),
  })
  set({ prompt: 'Buy Up' })
  await show(shell())
  one('input').focus()
  await key('Escape')
  assert.ok(document.activeElement !== one('input'))
  await key('Enter', { on: document.body, ctrlKey: true })
  assert.equal(asked[0].body.prompt, 'Buy Up')
  await key('Escape', { on: document.body })
  assert.match(asked.at(-1).name, /cancel$/)
})
