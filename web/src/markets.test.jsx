import { Markets } from './markets'
import {
  all,
  asked,
  held,
  one,
  passes,
  press,
  put,
  rows,
  serve,
  show,
  text,
  texts,
} from '../test/dom.mjs'
import { page, refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const market = (n, more = {}) => ({
  id: 'market_' + n,
  question: `Bitcoin <${n}>?`,
  slug: 'btc/' + n,
  end_date: '2026-04-13T12:15:00Z',
  status: 'resolved',
  recorded: { captures: 12_345, coverage: 0.985, winner: 'Up' },
  ...more,
})
const path = 'GET /app/v1/markets?include_closed=true&recorded=true&sort=end_date&limit=100'
const tags = {
  'GET /app/v1/tags?category=crypto': {
    data: ['bitcoin', '15m', '1h', 'crypto', 'up-or-down', 'ethereum'],
  },
}
const newest = () => decodeURIComponent(asked.at(-1).name)

test('markets: what is recorded of each, and who won', async () => {
  serve({
    ...tags,
    [path]: page([
      market(1),
      market(2, {
        end_date: null,
        status: 'open',
        recorded: { captures: 0, coverage: 0, winner: null },
      }),
      market(3, { recorded: undefined }),
    ]),
  })
  await show(<Markets />)
  assert.deepEqual(rows(), [
    ['Bitcoin <1>?', 'btc/1', 'Apr 13 12:15', '12,345', '98.5%', 'Up', 'resolved'],
    ['Bitcoin <2>?', 'btc/2', '–', '0', '–', '–', 'open'],
    ['Bitcoin <3>?', 'btc/3', 'Apr 13 12:15', '', '–', '–', 'resolved'],
  ])
  assert.equal(all('a.t')[0].getAttribute('href'), '/markets/btc%2F1')
})

test('markets: filtered by coin, length, state and words, alone and together', async () => {
  serve({ ...tags, 'GET /app/v1/markets?*': page([market(1)]) })
  await show(<Markets />)
  assert.deepEqual(texts('select[aria-label=Coin] option'), ['Any coin', 'bitcoin', 'ethereum'])
  assert.deepEqual(texts('select[aria-label=Length] option'), ['Any length', '15m', '1h'])
  await put('Coin', 'ethereum')
  await put('Length', '1h')
  await passes(150)
  assert.equal(newest(), path + '&tags=ethereum&tags=1h')
  await put('State', 'open')
  await passes(150)
  assert.equal(newest(), path.replace('include_closed=true&', '') + '&tags=ethereum&tags=1h')
  await put('State', 'over')
  await put('Coin', '')
  await put('Length', '')
  await put('Search markets', 'who & what')
  await passes(150)
  assert.equal(newest(), path + '&search=who+&+what&end_date_max=2026-04-20T12:00:00.450Z')
})

test('markets: what is over is over when the newest capture came, whatever the time now', async () => {
  serve({
    ...tags,
    'GET /app/v1/markets?*': page([market(1)]),
    'GET /app/v1/archive': {
      data: [
        { category: 'crypto', watermark: '2026-04-14T09:52:48.342247Z' },
        { category: 'sports', watermark: null },
      ],
    },
  })
  await show(<Markets />)
  await put('State', 'over')
  await passes(150)
  assert.equal(newest(), path + '&end_date_max=2026-04-14T09:52:48.342247Z')
})

test('markets: what is typed is asked for once it is, and a late answer takes no place', async () => {
  const late = held()
  serve({
    ...tags,
    [path]: page([market(1)]),
    [path + '&search=old']: () => late.answer,
    [path + '&search=new']: page([market(2)]),
  })
  await show(<Markets />)
  await put('Search markets', 'o')
  await put('Search markets', 'old')
  await passes(150)
  await put('Search markets', 'new')
  await passes(150)
  await late.free(page([market(3)]))
  assert.deepEqual(texts('a.t'), ['Bitcoin <2>?'])
  assert.equal(asked.filter((a) => a.name.includes('search=')).length, 2)
})

test('markets: more of them, none, and none to be had', async () => {
  serve({ ...tags, [path]: page([market(1)], 'next'), [path + '&cursor=next']: page([market(2)]) })
  await show(<Markets />)
  await press('More')
  assert.equal(all('a.t').length, 2)
  assert.equal(all('button').length, 0)
  serve({ [path + '&search=x']: page([]) })
  await put('Search markets', 'x')
  await passes(150)
  assert.match(text(), /No market is like that\.$/)
  serve({ ...tags, [path]: page([]) })
  await show(<Markets key="empty" />)
  assert.match(text(), /The archive has no markets\.$/)
  serve({ [path]: refusal(503, 'away'), 'GET /app/v1/tags?category=crypto': refusal(503, 'away') })
  await show(<Markets key="away" />)
  assert.equal(text('[role=alert]'), 'Not available at the moment. away')
  assert.equal(one('select[aria-label=Coin]').options.length, 1) // the list works without
})
