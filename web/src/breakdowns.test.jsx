import { Breakdowns } from './breakdowns'
import { all, rows, show, texts } from '../test/dom.mjs'
import { words } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const group = (key, more = {}) => ({
  key,
  trades: 1200,
  win_rate: null,
  mean_pnl: -4.5,
  total_pnl: -12,
  ...more,
})

test('breakdowns: each part with its groups; losses are told from gains by their sign', async () => {
  const breakdowns = [
    { name: 'side', rows: [group('<i>up</i>'), group('down', { win_rate: 0.5, total_pnl: 7 })] },
    { name: 'hour', rows: [group('12')] },
  ]
  await show(<Breakdowns words={words({ breakdowns })} />)
  assert.deepEqual(texts('thead th:first-child'), ['by side', 'by hour'])
  assert.deepEqual(rows().slice(0, 2), [
    ['<i>up</i>', '1,200', '–', '−$4.50', '−$12.00'],
    ['down', '1,200', '50.0%', '−$4.50', '+$7.00'],
  ])
  assert.deepEqual(texts('td.loss'), ['−$12.00', '−$12.00'])
  assert.deepEqual(texts('td.gain'), ['+$7.00'])
})

test('breakdowns: a long part scrolls by keys under its name, a short one does not', async () => {
  const of = (n) => Array.from({ length: n }, (_, i) => group(String(i)))
  const breakdowns = [
    { name: 'hour', rows: of(13) },
    { name: 'day', rows: of(12) },
  ]
  await show(<Breakdowns words={words({ breakdowns })} />)
  assert.deepEqual(
    all('[role=region]').map((e) => [e.getAttribute('aria-label'), e.tabIndex]),
    [['By hour', 0]],
  )
})
