import { moved, pieces } from './marks'
import assert from 'node:assert/strict'
import test from 'node:test'

test('marks: pieces are cut at code points', () => {
  const text = '😀 שלום Buy Up 👩‍👩‍👧 on BTC'
  const points = [...text]
  const at = (word) => {
    const i = points
      .join('\u0000')
      .split('\u0000')
      .findIndex((_, k) => points.slice(k, k + [...word].length).join('') === word)
    return { start: i, end: i + [...word].length }
  }
  const marks = [
    { ...at('Buy Up'), kind: 'what', field: 'side' },
    { ...at('BTC'), kind: 'what', field: 'market.coin' },
  ]
  const got = pieces(text, marks)
  assert.equal(got.map((p) => p.text).join(''), text)
  assert.deepEqual(
    got.filter((p) => p.kind).map((p) => p.text),
    ['Buy Up', 'BTC'],
  )
})

test('marks: marks of one field join over words that set nothing', () => {
  const text = 'in the first 3 minutes'
  const marks = [
    { start: 0, end: 2, kind: 'when', field: 'entry' },
    { start: 7, end: 22, kind: 'when', field: 'entry' },
  ]
  assert.deepEqual(
    pieces(text, marks).map((p) => p.text),
    ['in', ' the ', 'first 3 minutes'],
  )
  assert.deepEqual(
    pieces(text, marks, [{ start: 3, end: 6 }]).map((p) => p.text),
    [text],
  )
})

test('marks: marks move with the text until it is read again', () => {
  const marks = [
    { start: 0, end: 3, kind: 'a', field: '' },
    { start: 7, end: 10, kind: 'b', field: '' },
  ]
  assert.deepEqual(
    moved(marks, 'Buy Up BTC', 'Buy 😀 Up BTC').map((m) => [m.start, m.end]),
    [
      [0, 3],
      [9, 12],
    ],
  )
  assert.deepEqual(
    moved(marks, 'Buy Up BTC', 'Buy Up BETC').map((m) => m.kind),
    ['a'],
  )
})
