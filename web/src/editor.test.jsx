import { set } from './bench'
import { Editor } from './editor'
import {
  all,
  blur,
  buttons,
  does,
  field,
  focus,
  one,
  passes,
  press,
  put,
  serve,
  show,
  text,
  texts,
  window,
} from '../test/dom.mjs'
import { parsed, prompt, refusal, run } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const read = (answer) => serve({ 'POST /app/v1/ai/parse': answer })
const sentence = () => field('Strategy, in plain English')

test('editor: a sentence is read while it is typed: its fields, and Run', async () => {
  read(parsed())
  await show(<Editor id="" />)
  await put(sentence(), prompt)
  assert.equal(text('#reading'), 'Read whole.')
  assert.match(text('.foot'), /79 of 2,000$/)
  assert.match(text('.row'), /read by the rules/)
  assert.equal(all('dl.f dt').length, 7)
  assert.ok(buttons().some((b) => b.startsWith('Run')))
  assert.equal(sentence().getAttribute('aria-describedby'), one('#reading').id)
})

test('editor: a refusal is told below, once what is typed is finished', async () => {
  read(refusal(400, 'a percentage is not a price'))
  await show(<Editor id="" />)
  await focus(sentence())
  await put(sentence(), 'Buy Up below 35%')
  assert.match(text('#reading'), /^Not finished\./)
  assert.equal(all('.refusal').length, 0)
  await blur(sentence())
  assert.match(text('#reading'), /^Not read\./)
  assert.equal(text('.refusal'), 'a percentage is not a price')
  assert.equal(all('.ed.bad').length, 1)
})

test('editor: too long is told with how much; of no sentence nothing is told', async () => {
  read(refusal(400, 'too long'))
  await show(<Editor id="" />)
  assert.equal(text('#reading'), '')
  await put(sentence(), 'Buy Up '.repeat(300))
  assert.equal(text('.refusal'), '2,100 of 2,000 characters: shorten it by 100.')
  assert.match(text('.num.loss'), /2,100 of 2,000/)
})

test('editor: an offer is a press away', async () => {
  read(refusal(400, 'no such coin', { suggestion: 'Buy Up on BTC' }))
  await show(<Editor id="" />)
  await focus(sentence())
  await put(sentence(), 'Buy Up on BTV')
  await blur(sentence())
  read(parsed('Buy Up on BTC'))
  await press('Use this')
  await passes(200) // no more often than the server allows
  assert.equal(sentence().value, 'Buy Up on BTC')
  assert.equal(text('#reading'), 'Read whole.')
})

test('editor: examples while there is nothing; nothing while a run comes with its sentence', async () => {
  serve({
    'GET /app/v1/archive?rounds=true': {
      data: [],
      rounds: [{ coin: 'BTC', market_type: '5m', rounds: 9, inferred: 0 }],
    },
  })
  set({ tries: [] })
  await show(<Editor id="" />)
  assert.equal(all('.examples button').length, 3)
  set({ tries: [run()] })
  await show(<Editor id="" />)
  assert.equal(all('.examples').length, 0)
  await show(<Editor id="run_1" />)
  assert.equal(all('button.run, .opts').length, 0)
  assert.equal(all('.foot.hide').length, 1)
})

test('editor: on a narrow screen the fields of the run on show are one line', async () => {
  read(parsed())
  set({ run: run(), prompt, reading: { text: prompt, parsed: parsed() } })
  await does(() => window.happyDOM.setViewport({ width: 390 }))
  await show(<Editor id="run_1" />)
  assert.equal(all('details.folded').length, 1)
  await does(() => window.happyDOM.setViewport({ width: 1440 }))
  await show(<Editor key="wide" id="run_1" />)
  assert.equal(all('details.folded').length, 0)
  assert.equal(texts('dl.f dt').length, 7)
})

test('editor: fields of an older text are pale until the newer one is read', async () => {
  const other = prompt + ' now'
  set({ prompt: other, reading: { text: prompt, parsed: parsed() } })
  await show(<Editor id="" />)
  assert.equal(all('dl.f.old').length, 1)
  await does(() => set({ prompt }))
  assert.equal(all('dl.f.old').length, 0)
})
