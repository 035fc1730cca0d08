import { placesOf, rewritten, stepOf, valuesOf } from './places'
import assert from 'node:assert/strict'
import test from 'node:test'

// read is a reading: a prompt, what it became, and the phrases with their fields.
const read = (prompt, strategy, phrases) => ({
  prompt,
  strategy: { entry: [], exit: {}, budget_per_trade: 100, sample_size: 50, ...strategy },
  parse: {
    spans: phrases.map(([text, field]) => {
      const start = [...prompt.slice(0, prompt.indexOf(text))].length
      return { start, end: start + [...text].length, text, field }
    }),
  },
})

test('places: the numbers of a sentence are found where they stand, and written anew', () => {
  const prompt =
    '🚀 Buy Up on BTC 15m when Up drops below 35 cents in the first 5 minutes with bid depth over $1,000, take profit at 55c, stop at 20c, $50 per trade'
  const level = { token: 'up', comparator: 'lt', within_seconds: 300 }
  const parsed = read(
    prompt,
    {
      entry: [
        { ...level, type: 'price', threshold: 0.35 },
        { ...level, type: 'bid_depth', threshold: 1000, within_seconds: null },
      ],
      exit: { take_profit: 0.55, stop_loss: 0.2 },
      budget_per_trade: 50,
    },
    [
      ['when Up drops below 35 cents', 'entry.0'],
      ['first 5 minutes', 'entry'],
      ['bid depth over $1,000', 'entry.1'],
      ['take profit at 55c', 'exit.take_profit'],
      ['stop at 20c', 'exit.stop_loss'],
      ['$50 per trade', 'budget_per_trade'],
    ],
  )
  const places = placesOf(parsed)
  assert.deepEqual(
    places.map((x) => [x.field, prompt.slice(x.start, x.end)]),
    [
      ['entry.0.threshold', '35'],
      ['entry.0.within_seconds', '5'],
      ['entry.1.threshold', '1,000'],
      ['exit.take_profit', '55'],
      ['exit.stop_loss', '20'],
      ['budget_per_trade', '50'],
    ],
  )
  const at = (field) => places.find((x) => x.field === field)
  assert.equal(
    rewritten(prompt, [
      [at('exit.take_profit'), 0.575],
      [at('entry.0.threshold'), 0.3],
      [at('entry.0.within_seconds'), 420],
    ]),
    prompt
      .replace('35 cents', '30 cents')
      .replace('5 minutes', '7 minutes')
      .replace('55c', '57.5c'),
  )
  assert.deepEqual(valuesOf(at('entry.0.threshold'), 0.05, 5), [0.25, 0.3, 0.35, 0.4, 0.45])
  assert.deepEqual(valuesOf({ unit: 'price', value: 0.02 }, 0.01, 5), [0.01, 0.02, 0.03, 0.04])
  assert.deepEqual(valuesOf({ unit: 'price', value: -0.1 }, 0.05, 5), [-0.2, -0.15, -0.1, -0.05])
  assert.equal(stepOf(at('entry.0.within_seconds')), 60)
})

test('places: a number in words has no place; one that two fields share belongs to the closer phrase', () => {
  const words = read(
    'Buy Up below thirty-five cents',
    {
      entry: [
        { type: 'price', token: 'up', comparator: 'lt', threshold: 0.35, within_seconds: null },
      ],
    },
    [['below thirty-five cents', 'entry.0']],
  )
  assert.deepEqual(placesOf(words), [])
  const prompt = 'between 30 and 40 cents, stop at 30c'
  const level = { type: 'price', token: 'up', within_seconds: null }
  const both = read(
    prompt,
    {
      entry: [
        { ...level, comparator: 'lte', threshold: 0.4 },
        { ...level, comparator: 'gte', threshold: 0.3 },
      ],
      exit: { stop_loss: 0.3 },
    },
    [
      ['between 30 and 40 cents', 'entry.1'],
      ['stop at 30c', 'exit.stop_loss'],
    ],
  )
  assert.deepEqual(
    placesOf(both).map((x) => [x.field, x.start]),
    [
      ['entry.1.threshold', 8],
      ['exit.stop_loss', 33],
    ],
  )
})
