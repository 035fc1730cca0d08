import {
  counted,
  diff,
  fine,
  fixed,
  instant,
  interval,
  points,
  rate,
  span,
  typeset,
  usd,
} from './text'
import assert from 'node:assert/strict'
import test from 'node:test'

test('text: quotation marks of the server are the page’s', () => {
  for (const [said, want] of [
    ['"wobbly" is not understood', '“wobbly” is not understood'],
    ['did you mean "drops" for "drps"?', 'did you mean “drops” for “drps”?'],
    ['a screen of 15" is one mark', 'a screen of 15" is one mark'],
    ['nothing is quoted', 'nothing is quoted'],
  ])
    assert.equal(typeset(said), want)
})

test('text: numbers are rounded half even on their millionths', () => {
  for (const [x, decimals, want] of [
    [0.125, 2, '0.12'],
    [0.135, 2, '0.14'],
    [-0.001, 2, '0.00'],
    [-151.73071, 2, '−151.73'],
    [2.5, 0, '2'],
    [3.5, 0, '4'],
    [1e6, 0, '1000000'],
    [0.000001, 6, '0.000001'],
  ])
    assert.equal(fixed(x, decimals), want)
  assert.equal(usd(-1234.5), '−$1,234.50')
  assert.equal(usd(0), '$0.00')
  assert.equal(usd(null), '–')
  assert.equal(rate(0.419355), '41.9%')
  assert.equal(points(-0.106667), '−10.7 pp')
  assert.equal(counted(1, 'entry'), '1 entry')
  assert.equal(counted(2000, 'entry'), '2,000 entries')
  assert.equal(counted(4, 'day'), '4 days')
  assert.equal(span(59.9), '59s')
  assert.equal(span(372), '6m12s')
  assert.equal(span(3600), '1h00m')
  assert.equal(interval(null, usd), 'too few trades')
})

test('text: instants keep their microseconds', () => {
  assert.equal(fine('2026-04-13T12:31:15.8436Z', 6), '12:31:15.843600')
  assert.equal(fine('2026-04-13T12:31:15Z', 0), '12:31:15')
  assert.ok(
    Math.abs(instant('2026-04-13T12:31:15.000001Z') - instant('2026-04-13T12:31:15Z') - 1e-6) <
      1e-6,
  )
})

test('text: sentences are compared word by word', () => {
  assert.deepEqual(
    diff('Buy Up when Up drops below 35 cents', 'Buy Up when it falls under 30 cents early').map(
      (d) => d.op + d.text,
    ),
    [' Buy Up when', '-Up drops below 35', '+it falls under 30', ' cents', '+early'],
  )
})
