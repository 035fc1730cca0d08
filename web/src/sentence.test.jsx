import { Refused } from './api'
import { now, set, useBench } from './bench'
import { line, marksOf, Sentence } from './sentence'
import {
  all,
  document,
  does,
  field,
  focus,
  one,
  put,
  serve,
  settle,
  show,
  text,
  texts,
} from '../test/dom.mjs'
import { parsed, refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const Shown = ({ lit = [] }) => (
  <>
    <Sentence s={useBench()} lit={lit} />
    <p id="reading" />
  </>
)
const where = (of, words) => {
  const start = [...of.slice(0, of.indexOf(words))].length
  return { start, end: start + [...words].length, text: words, message: 'not <b>understood</b>' }
}
const refused = (of, { at = [], spans = [], status = 400, ...offers } = {}) => ({
  text: of,
  refused: new Refused(
    ...[status, 'x', 'said'],
    at.map((words) => where(of, words)),
    spans.map(([words, field]) => ({ ...where(of, words), field })),
    ...[0, offers],
  ),
})
const state = (prompt, reading, caret = -1) => {
  set({ prompt, reading, caret })
  return now()
}
const marks = (s) => marksOf(s).map((m) => [m.kind, [...s.prompt].slice(m.start, m.end).join('')])

test('sentence: read whole, and how many words set nothing', () => {
  const read = parsed('Buy Up please now on BTC')
  assert.equal(line(state('', undefined)), undefined)
  assert.deepEqual(line(state(read.prompt, { text: read.prompt, parsed: read })), {
    ...{ tone: 'ok', head: 'Read whole.', text: '' },
  })
  read.parse.ignored = [where(read.prompt, 'please now')]
  assert.equal(line(now()).text, '2 words set nothing')
})

test('sentence: too long is told with how much', () => {
  assert.equal(line(state('😀'.repeat(2000), undefined)), undefined)
  assert.deepEqual(line(state('😀'.repeat(2100), undefined)), {
    tone: 'bad',
    head: 'Too long.',
    text: '2,100 of 2,000 characters: shorten it by 100.',
  })
})

test('sentence: what touches the caret is not finished; elsewhere it is told and marked', () => {
  const of = 'Buy Up on BTC below 35%'
  const reading = refused(of, { at: ['35%'], spans: [['Buy Up', 'side']] })
  let s = state(of, reading, of.length)
  assert.deepEqual([line(s).head, line(s).tone], ['Not finished.', 'soft'])
  assert.deepEqual(marks(s), [
    ['open', '35%'],
    ['what', 'Buy Up'],
  ])
  s = state(of, reading, 3)
  assert.deepEqual([line(s).head, line(s).tone], ['Not read.', 'bad'])
  assert.deepEqual(marks(s)[0], ['bad', '35%'])
  s = state(of, reading)
  assert.equal(line(s).head, 'Not read.')
  assert.equal(line(state(of, refused(of), of.length)).head, 'Not finished.') // of no place: of the end
})

test('sentence: a refusal of an older text is not told as one of the text that stands there', () => {
  const s = state(
    'Buy Up on BTC 15m below 35%',
    refused('Buy Up on BTC 15m belo', { at: ['belo'] }),
  )
  assert.equal(line(s).head, 'Not finished.')
  assert.ok(marksOf(s).every((m) => m.kind !== 'bad'))
})

test('sentence: nearly read, two readings, and a server that does not answer', () => {
  const of = 'Buy Up on wobbly BTC if it trades up to 65c'
  const omitted = { confirm: { strategy: {}, summary: 'x', left_out: [where(of, 'wobbly')] } }
  let s = state(of, refused(of, { at: ['wobbly'], ...omitted }))
  assert.equal(line(s).head, 'Nearly read.')
  assert.deepEqual(marks(s), [['omit', 'wobbly']])
  const choices = ['lte', 'gte'].map((comparator) => ({
    summary: comparator,
    strategy: { entry: [{ comparator }] },
  }))
  s = state(of, refused(of, { choices, spans: [['up to 65c', 'entry.0']] }))
  assert.equal(line(s).head, 'Two readings.')
  assert.deepEqual(marks(s), [['twice', 'up to 65c']])
  assert.equal(line({ ...s, caret: of.length }).head, 'Two readings.') // also while it is typed
  assert.deepEqual(line(state(of, refused(of, { status: 503 }))), {
    ...{ tone: 'soft', head: 'Not read.', text: 'Said' },
  })
})

test('sentence: emoji, right-to-left text and markup: places right, shown as text', async () => {
  for (const before of [
    '😀 👩‍👩‍👧 note: ',
    'שלום עולם: ',
    '<img src=x onerror=alert(1)> ',
    '😀שלום '.repeat(200),
  ]) {
    const of = before + 'Buy Up on BTC <script>'
    state(of, {
      text: of,
      parsed: parsed(of, [
        ['Buy Up', 'side'],
        ['BTC', 'market.coin'],
      ]),
    })
    await show(<Shown lit={['market']} />)
    assert.deepEqual(texts('mark'), ['Buy Up', 'BTC'])
    assert.equal(one('.under').textContent, of)
    assert.equal(one('textarea').value, of)
    assert.deepEqual(texts('mark.lit'), ['BTC'])
    assert.equal(all('.under img, .under script').length, 0)
  }
})

test('sentence: what is typed is read, with the place of the caret', async () => {
  serve({ 'POST /app/v1/ai/parse': refusal(400, 'no') })
  await show(<Shown />)
  await put('Strategy, in plain English', 'Buy')
  assert.equal(now().prompt, 'Buy')
  assert.equal(now().reading.refused.message, 'no')
  await put('Strategy, in plain English', 'Buy\n')
  assert.ok(one('.under').textContent.endsWith('\n\u200b')) // the last line is one
})

test('sentence: one that comes while somebody is in the field gives way to what is typed', async () => {
  await show(<Shown />)
  const area = field('Strategy, in plain English')
  await focus(area)
  await does(() => set({ prompt: 'Buy Up on BTC' }))
  await settle()
  assert.equal(area.value, 'Buy Up on BTC')
  assert.deepEqual([area.selectionStart, area.selectionEnd], [0, area.value.length])
  assert.ok(document.activeElement === area)
  assert.equal(text('.under'), 'Buy Up on BTC')
})
