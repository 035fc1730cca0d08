import { Fields } from './fields'
import { all, focus, key, one, point, show, text, texts } from '../test/dom.mjs'
import { parsed } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const read = parsed('<b>Buy Up</b>, take profit at 55c', [
  ['Buy Up', 'side'],
  ['take profit at 55c', 'exit.take_profit'],
])
read.parse.assumptions = [
  { field: 'exit.take_profit', why: 'of the bid' },
  { field: 'sample_size', why: 'a sample of 100' },
]
const lit = []
const fields = (more = {}) => (
  <Fields parsed={read} old={false} folded={false} light={(p) => lit.push(p)} {...more} />
)

test('fields: each with its words; what nobody said is assumed, and why', async () => {
  await show(fields())
  assert.deepEqual(
    all('dl.f > div').map((d) => [
      d.querySelector('dt').textContent,
      d.querySelector('dd > span').textContent,
    ]),
    [
      ['Buy', 'Up on BTC 15m markets “Buy Up”'],
      ['When', "Up's price is below 35c"],
      ['Target', 'take profit at 55c “take profit at 55c”'],
      ['Stop', 'stop loss at 20c'],
      ['Else', 'hold to expiry'],
      ['Money', '$50 per trade'],
      ['Sample', '100 markets'],
    ],
  )
  const tags = all('.tag button')
  assert.equal(tags.length, 6) // all but the first; the target for what it is taken of
  const why = []
  for (const tag of tags) {
    await focus(tag)
    why.push(text('[role=tooltip]'))
  }
  assert.deepEqual(
    [why[0], why[1], why.at(-1)],
    [...['Nothing was said of it.', 'Of the bid.', 'A sample of 100.']],
  )
  await key('Escape')
  assert.deepEqual(texts('[role=tooltip]'), [])
})

test('fields: the words of a field are lit while the pointer is on it', async () => {
  lit.length = 0
  await show(fields())
  await point('mouseenter', all('dl.f > div')[0])
  await point('mouseleave', all('dl.f > div')[0])
  assert.deepEqual(lit, [['side', 'market'], []])
})

test('fields: of an older text they are pale; folded they are a line', async () => {
  await show(fields({ old: true }))
  assert.equal(all('dl.f.old').length, 1)
  await show(fields({ folded: true }))
  assert.match(text('summary'), /^Up on BTC 15m markets · Up's price is below 35c · /)
  assert.equal(one('details').open, false)
})
