import { Rounds, strips } from './rounds'
import { all, asked, empty, one, serve, show, texts } from '../test/dom.mjs'
import { page, refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const market = (slug, minutes, recorded) => {
  const start = Number(slug.split('-').at(-1))
  return { slug, end_date: new Date((start + minutes * 60) * 1000).toISOString(), recorded }
}
const noon = Date.UTC(2026, 3, 13, 12) / 1000
const one15 = market(`btc-updown-15m-${noon}`, 15, { captures: 9, coverage: 0.75 })
const bare = market(`btc-updown-15m-${noon + 900}`, 15, { captures: 0, coverage: 0 })
const eth = market(`eth-updown-15m-${noon}`, 15, { captures: 9, coverage: 0.5 })
const later = market(`eth-updown-1h-${noon + 86_400}`, 60, undefined)

test('rounds: a strip each coin and length, by day; what is no round is left out', () => {
  assert.deepEqual(
    strips([eth, one15])
      .get('2026-04-13')
      .map((s) => s.name),
    ['BTC 15m', 'ETH 15m'],
  )
  const got = strips([later, bare, one15, { slug: 'who-wins', end_date: null }])
  assert.deepEqual([...got.keys()], ['2026-04-13', '2026-04-14'])
  const [btc] = got.get('2026-04-13')
  assert.equal(btc.name, 'BTC 15m')
  assert.deepEqual(
    btc.rounds.map((r) => [r.at, r.long, r.coverage]),
    [
      [12.25 * 3600, 900, 0],
      [12 * 3600, 900, 0.75],
    ],
  )
})

test('rounds: all pages are drawn, each round with its time and coverage', async () => {
  const path =
    'GET /app/v1/markets?category=crypto&include_closed=true&recorded=true&sort=end_date&limit=1000'
  serve({ [path]: page([one15, bare], 'next'), [path + '&cursor=next']: page([later]) })
  await show(<Rounds category="crypto" />)
  assert.equal(asked.length, 2)
  assert.deepEqual(texts('caption'), [
    '2026-04-13 each round by its coverage, 00:00 to 24:00 UTC',
    '2026-04-14 each round by its coverage, 00:00 to 24:00 UTC',
  ])
  assert.deepEqual(texts('th'), ['BTC 15m', 'ETH 1h'])
  assert.deepEqual(
    all('rect').map((r) => r.style.getPropertyValue('--a')),
    ['78.75%', '15%', '15%'],
  )
  assert.deepEqual(texts('rect title'), ['12:00: 75.0%', '12:15: 0.0%', '12:00: 0.0%'])
  assert.equal(all('svg')[0].getAttribute('aria-label'), '2 rounds: coverage 0.0% to 75.0%')
  assert.equal(one('a').getAttribute('href'), '/markets')
})

test('rounds: nothing where they cannot be asked: the days stand above', async () => {
  serve({ 'GET /app/v1/markets*': refusal(503, 'away') })
  await show(<Rounds category="crypto" />)
  assert.ok(empty())
})
