import { now, set } from './bench'
import { keys } from './heat'
import { actions } from './meta'
import { lettersOn, Sheet } from './sheet'
import {
  all,
  document,
  field,
  gone,
  key,
  one,
  press,
  put,
  serve,
  show,
  text,
  texts,
} from '../test/dom.mjs'
import { refusal, run } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const who = { organization: 'ada <b>', plan: 'pro' }
let closed = 0
let left = 0
const sheet = (help = false) => {
  closed = left = 0
  return <Sheet who={who} help={help} close={() => closed++} leave={() => left++} />
}
const names = () => texts('[role=option] > span:first-child')
const search = () => field('Search commands')

test('sheet: everything by name; what needs a run is there with one', async () => {
  await show(sheet())
  assert.ok(document.activeElement === search())
  assert.deepEqual(names(), [
    ...[
      'Write the sentence',
      'Run',
      'Go to Workbench',
      'Go to Runs',
      'Go to Markets',
      'Go to Archive',
    ],
    ...['Read the API', 'Colours: light', 'Colours: dark', 'Sign out'],
  ])
  assert.match(text(), /ada <b> · plan pro$/)
  set({ run: run(), live: { id: 'x' } })
  await show(<div key="run">{sheet()}</div>)
  for (const name of [
    'Stop',
    'Next trade',
    'Neighbours of the run',
    'Share',
    'Download',
    'Finer columns',
  ])
    assert.ok(names().includes(name), name)
})

test('sheet: searched and chosen by keys', async () => {
  await show(sheet())
  await put(search(), 'GO TO')
  assert.deepEqual(names(), ['Go to Workbench', 'Go to Runs', 'Go to Markets', 'Go to Archive'])
  await key('ArrowUp') // no further
  await key('ArrowDown')
  await key('ArrowDown')
  assert.equal(one('[aria-selected=true]').id, search().getAttribute('aria-activedescendant'))
  await key('Enter')
  assert.equal(location.pathname, '/markets')
  assert.equal(closed, 1)
})

test('sheet: nothing found, nothing done; a press does it; Escape does nothing', async () => {
  await show(sheet())
  await put(search(), 'no such thing')
  assert.deepEqual(names(), [])
  await key('Enter')
  assert.equal(closed, 0)
  await put(search(), '')
  await press(/^Colours: dark/)
  assert.equal(document.documentElement.style.colorScheme, 'dark')
  await show(<div key="2">{sheet()}</div>)
  assert.ok(names().includes('Colours: system') && !names().includes('Colours: dark'))
  await press(/^Sign out/)
  assert.equal(left, 1)
  await show(<div key="3">{sheet()}</div>)
  await press(/^Read the API/)
  assert.deepEqual(gone, ['/docs'])
  await show(<div key="4">{sheet()}</div>)
  await key('Escape', { on: search() })
  assert.equal(closed, 1)
})

test('sheet: a press beside it closes it', async () => {
  await show(sheet())
  await press(one('dialog'))
  assert.equal(closed, 1)
})

test('sheet: each command of a run does what its key does', async () => {
  const did = []
  for (const name of ['to', 'coarser']) keys[name] = (x) => did.push([name, x])
  actions.share = () => did.push('share')
  actions.before = () => did.push('before')
  serve({ 'POST *': refusal(400, 'no') })
  set({ run: run() })
  for (const name of [
    /^Next trade/,
    /^Entry/,
    /^Exit/,
    /^Finer/,
    /^Coarser/,
    /^Compare/,
    /^Share/,
    /^Neighbours/,
  ]) {
    await show(<div key={String(name)}>{sheet()}</div>)
    await press(name)
  }
  assert.equal(now().trade, 2)
  assert.deepEqual(did, [
    ...[
      ['to', 'entry'],
      ['to', 'exit'],
      ['coarser', -1],
      ['coarser', 1],
    ],
    ...['before', 'share'],
  ])
  assert.equal(location.pathname, '/runs/run_1/neighbours')
  for (const o of [keys, actions]) for (const name of Object.keys(o)) delete o[name]
})

test('sheet: as help it has the keys of one letter to turn off', async () => {
  await show(sheet(true))
  assert.equal(one('dialog').getAttribute('aria-label'), 'Keys')
  assert.equal(lettersOn(), true)
  const box = field('keys of one letter')
  assert.equal(box.checked, true)
  await put(box, '')
  assert.equal(lettersOn(), false)
  await show(<div key="again">{sheet()}</div>)
  assert.equal(one('dialog').getAttribute('aria-label'), 'Commands')
  assert.equal(all('input[type=checkbox]').length, 0)
})
