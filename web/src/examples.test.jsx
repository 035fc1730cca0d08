import { now } from './bench'
import { Examples, examplesOf } from './examples'
import { buttons, empty, press, serve, show, text } from '../test/dom.mjs'
import { refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const held = (coin, market_type, rounds, inferred) => ({ coin, market_type, rounds, inferred })
const path = 'GET /app/v1/archive?rounds=true'

test('examples: of what there is most of, with inferred winners where few are official', () => {
  assert.deepEqual(examplesOf([]), [])
  assert.deepEqual(examplesOf([held('BTC', '5m', 0, 0)]), [])
  const [one, two, three] = examplesOf([held('BTC', '15m', 500, 0), held('SOL', '4h', 1, 600)])
  assert.match(one.prompt, /SOL 4h .* first 80 minutes.* last 100 markets/)
  assert.equal(one.inferred, true)
  assert.match(two.prompt, /BTC 15m .* last 3 minutes.* last 100 markets/)
  assert.equal(two.inferred, false)
  assert.match(three.prompt, /in 16 minutes, sell after 48 minutes/)
})

test('examples: a press writes the sentence with its winners', async () => {
  serve({ [path]: { data: [], rounds: [held('BTC', '5m', 2, 62), held('ETH', '1h', 40, 0)] } })
  serve({ 'POST /app/v1/ai/parse': refusal(400, 'not read') })
  await show(<Examples />)
  const [first, second, third] = buttons()
  assert.match(first, /BTC 5m .* first 2 minutes.* last 64 marketswith inferred winners/)
  assert.match(second, /ETH 1h .* last 10 minutes.* last 40 markets$/)
  assert.match(third, /BTC 5m /)
  await press(first)
  assert.match(now().prompt, /^Buy Up on BTC 5m .* last 64 markets$/)
  assert.equal(now().options.winners, 'inferred')
  await press(second)
  assert.equal(now().options.winners, 'official')
})

test('examples: an archive without rounds says so; one that cannot be asked says nothing', async () => {
  serve({ [path]: { data: [] } })
  await show(<Examples />)
  assert.equal(text(), 'The archive has no up/down round that can be replayed yet.')
  serve({ [path]: refusal(503, 'away') })
  await show(<Examples key="again" />)
  assert.ok(empty())
})
