import { Choose, first } from './axes'
import { put, show, text, texts } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const place = (name, unit, value) => ({ field: name, name: name + ' <b>', unit, value })
const places = [
  place('entry.0.threshold', 'price', 0.35),
  place('exit.take_profit', 'price', 0.55),
  place('exit.max_hold_seconds', 'seconds', 120),
  place('budget_per_trade', 'usd', 50),
]

test('axes: at first an entry and an exit are varied, where there are such', () => {
  const names = (list) => first(list)?.map((a) => a?.field)
  assert.deepEqual(names(places), ['entry.0.threshold', 'exit.take_profit'])
  assert.deepEqual(names(places.slice(2)), ['exit.max_hold_seconds', 'budget_per_trade'])
  assert.deepEqual(names(places.slice(3)), ['budget_per_trade', undefined])
  assert.equal(first([]), undefined)
})

test('axes: which number, how far apart and how many', async () => {
  const told = []
  const axis = { field: 'entry.0.threshold', step: '0.05', count: 5 }
  await show(
    <Choose
      label="down"
      places={places}
      axis={axis}
      other="exit.take_profit"
      put={(a) => told.push(a)}
    />,
  )
  assert.match(text('.num'), /^25c 30c 35c 40c 45c$/)
  assert.deepEqual(
    texts('option').slice(0, 3),
    ['entry.0.threshold <b>', 'exit.max_hold_seconds <b>', 'budget_per_trade <b>'], // not that of the other
  )
  await put('down', 'exit.max_hold_seconds')
  await put('Step down, USD', '0.01')
  await put('Step down, USD', 'wide') // no number: the usual one
  await put('Number of values down', '9')
  assert.deepEqual(told, [
    { ...axis, field: 'exit.max_hold_seconds', step: '15' },
    { ...axis, step: '0.01' },
    { ...axis, step: '0.05' },
    { ...axis, count: 9 },
  ])
})
