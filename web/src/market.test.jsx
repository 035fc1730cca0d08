import { middle, OneMarket } from './market'
import {
  all,
  asked,
  document,
  held,
  key,
  one,
  point,
  rows,
  serve,
  show,
  text,
  texts,
} from '../test/dom.mjs'
import { at, book, refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const market = (more = {}) => ({
  id: 'market_1',
  slug: 'btc-updown-15m-1776081600',
  question: 'Bitcoin <b>up</b>?',
  status: 'resolved',
  start_date: at(0),
  end_date: at(900),
  winning_token_label: 'Down',
  tokens: [
    { id: 'up/1', label: 'Up' },
    { id: 'down', label: 'Down' },
  ],
  ...more,
})
const books = [
  book(
    450,
    [[0.4, 100]],
    [
      [0.42, 50],
      [0.43, 200],
    ],
  ),
  book(465, [[0.5, 10]], []),
]
async function opened({ m = market(), gaps = [], from = '', answers = {} } = {}) {
  serve({
    'GET /app/v1/markets/a*': m,
    'GET /app/v1/tokens/up%2F1/books?*': { data: books },
    'GET /app/v1/tokens/up%2F1/prices?*': { data: [{ t: at(450), p: 0.41 }] },
    'GET /app/v1/markets/market_1/metrics?*': {
      data: [{ t: at(450), liquidity: 12_345, spread: 0.02, volume: 1 }],
    },
    'GET /app/v1/markets/market_1/gaps': { data: gaps },
    ...answers,
  })
  await show(<OneMarket id="a/b" from={new URLSearchParams(from)} />)
}

test('market: it opens at a time with a book', () => {
  assert.equal(middle([1, 1, 1, 1, 1]), 2)
  assert.equal(middle([1, 1, undefined, undefined, undefined, undefined, undefined]), 1)
  assert.equal(middle([undefined, undefined]), 1)
})

test('market: its question, its winner, three pictures and the book in the middle', async () => {
  await opened()
  assert.equal(asked[0].name, 'GET /app/v1/markets/a%2Fb')
  assert.match(
    asked[1].name,
    /books\?start_ts=1776081600&end_ts=1776082500&resolution=5s&limit=200$/,
  )
  assert.equal(document.title, 'Bitcoin <b>up</b>? · Ladderback')
  assert.equal(text('h1'), 'Bitcoin <b>up</b>?')
  assert.equal(text('.lead'), 'Winner: Down')
  assert.deepEqual(texts('.panel h2'), [
    'Price of Up0.4100',
    'Spread, USD0.0200',
    'Liquidity, USD$12,345.00',
  ])
  assert.equal(text('[role=status]'), '12:07:30 UTC, liquidity $12,345.00')
  assert.deepEqual(
    rows().map((r) => r.slice(0, 3)),
    [
      ['ask', '0.430', '200.00'],
      ['ask', '0.420', '50.00'],
      ['bid', '0.400', '100.00'],
    ],
  )
  assert.ok(all('rect.hole').length > 0)
})

test('market: it is stepped through by keys and the pointer', async () => {
  await opened()
  await key('ArrowRight')
  assert.match(text('[role=status]'), /^no book at this time/)
  await key('ArrowRight')
  await key('ArrowRight')
  assert.equal(text('[role=status]'), '12:07:45 UTC')
  await key('ArrowLeft', { shiftKey: true })
  assert.match(text('[role=status]'), /^no book/)
  assert.equal(await key('ArrowLeft', { altKey: true }), false)
  assert.equal(await key('x'), false)
  await point('pointermove', all('.panel svg')[0], { clientX: 52 + 640 / 2 + 1 })
  assert.match(text('[role=status]'), /^12:07:30/)
})

test('market: the gaps of its token are told; it leads to where one came from', async () => {
  const gap = (token_id, from, to) => ({ token_id, from: at(from), to: at(to) })
  await opened({ gaps: [gap('up/1', 60, 90.5), gap('down', 100, 110)], from: 'run=run_1&trade=2' })
  assert.equal(all('rect.gap').length, 3) // one in each picture
  assert.match(text(), /Red: 1 gap that the source declares/)
  assert.deepEqual(
    all('.meta a').map((a) => [a.textContent, a.getAttribute('href')]),
    [
      ['Back to trade 2 of the run', '/runs/run_1#trade=2'],
      ['Runs over rounds like this one', '/runs?coin=BTC&market_type=15m'],
    ],
  )
})

test('market: one that is open and no round, of which nothing is recorded', async () => {
  const bare = { data: [] }
  await opened({
    m: market({ slug: 'who-wins', status: 'open', winning_token_label: null, start_date: null }),
    answers: Object.fromEntries(
      ['tokens/up%2F1/books', 'tokens/up%2F1/prices', 'markets/market_1/metrics'].map((p) => [
        `GET /app/v1/${p}?*`,
        bare,
      ]),
    ),
  })
  assert.match(text('.lead'), /^Open; no official winner\./)
  assert.equal(all('.meta a').length, 0)
  assert.deepEqual(rows(), [])
  assert.match(asked[1].name, /resolution=30s/) // the hour before its end
  assert.ok(!document.body.innerHTML.includes('NaN'))
})

test('market: not there yet, and not there', async () => {
  const late = held()
  await opened({ m: () => late.answer })
  assert.equal(one('main').getAttribute('aria-busy'), 'true')
  await late.free(refusal(404, 'no such market'))
  assert.match(text(), /Refused\. no such market\s*All markets$/)
})
