import { Record } from './record'
import { asked, empty, held, rows, serve, show, text, texts } from '../test/dom.mjs'
import { refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const at = '2026-04-21T10:00:00Z'
const path = 'GET /app/v1/ai/tries?coin=BTC&market_type=15m'
const record = {
  families: [
    { tries: 2, side: 'up' },
    { tries: 1, side: 'down' },
  ],
  tries: [
    {
      look: 3,
      prompt: 'third <b>',
      variants: 2000,
      independent_tries: 5.25,
      done_at: null,
      made_at: at,
    },
    { look: 2, prompt: '', variants: 1, independent_tries: 1, done_at: at, made_at: at },
  ],
  resets: [{ tries: 4, reason: 'another idea', made_at: at }],
  lockboxes: [
    { from: at, made_at: at, opened_at: null, tries: null },
    { from: at, made_at: '2026-04-22T10:00:00Z', opened_at: '2026-04-23T10:00:00Z', tries: 7 },
  ],
}

test('record: tries, resets and lockboxes of a series', async () => {
  serve({ [path]: record })
  await show(<Record coin="BTC" type="15m" />)
  assert.deepEqual(
    asked.map((a) => a.name),
    [path],
  )
  assert.match(text(), /^3 tries on BTC 15m/)
  assert.deepEqual(rows(), [
    ['3', 'third <b> not over', '2,000', '5.3', '2026-04-21 10:00:00'],
    ['2', '–', '1', '1', '2026-04-21 10:00:00'],
  ])
  assert.match(text(), /The newest 2 of them\./)
  assert.deepEqual(texts('.has li'), [
    '2026-04-21 10:00:00: 4 tries taken out of the count: “another idea”',
    '2026-04-21 10:00:00: rounds that end from 2026-04-21 10:00:00 on put aside, still locked',
    '2026-04-22 10:00:00: rounds that end from 2026-04-21 10:00:00 on put aside, opened 2026-04-23 10:00:00 after 7 tries',
  ])
})

test('record: nothing until it is there, nothing tried, and why it cannot be had', async () => {
  const late = held()
  serve({ [path]: () => late.answer })
  await show(<Record coin="BTC" type="15m" />)
  assert.ok(empty())
  await late.free({ families: [], tries: [], resets: [], lockboxes: [] })
  assert.match(text(), /^0 tries on BTC 15m/)
  assert.deepEqual(rows(), [])
  serve({ [path]: refusal(503, 'the record of tries is not available') })
  await show(<Record key="again" coin="BTC" type="15m" />)
  assert.equal(text(), 'The record of tries is not available')
})
