import { Archive } from './archive'
import { all, document, held, one, rows, serve, show, text, texts } from '../test/dom.mjs'
import { page, refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const day = (on, more = {}) => ({
  day: on,
  markets: 1000,
  resolved: 990,
  captured: 900,
  captures: 12_345,
  coverage: 0.985,
  ...more,
})
const category = (more = {}) => ({
  category: 'crypto',
  watermark: '2026-04-14T23:59:58.5Z',
  markets: 2000,
  resolved: 1980,
  captured: 1800,
  captures: 24_690,
  first_day: '2026-04-13',
  last_day: '2026-04-14',
  simulated: false,
  days: [day('2026-04-13'), day('2026-04-14', { captured: 0, captures: 0 })],
  ...more,
})

test('archive: by category and day, in numbers, as a calendar and as a table', async () => {
  serve({ 'GET /app/v1/archive': { data: [category()] }, 'GET /app/v1/markets*': page([]) })
  await show(<Archive />)
  assert.equal(document.title, 'Archive · Ladderback')
  assert.equal(text('h2'), 'Crypto 2026-04-13 to 2026-04-14')
  assert.deepEqual(texts('.nums > div'), [
    'markets2,0002 days',
    'resolved1,98099.0% of the markets',
    'captured1,80090.0% of the markets',
    'captures24,69014 a market captured',
    'watermark2026-04-1423:59:58 UTC',
  ])
  assert.deepEqual(rows('.astable tbody'), [
    ['2026-04-13', '98.5%', '1,000', '990', '900', '12,345'],
    ['2026-04-14', '–', '1,000', '990', '0', '0'],
  ])
  assert.equal(all('.cal [role=listitem]').length, 2)
  assert.equal(all('.rounds').length, 1) // of few days each round is on show as well
})

test('archive: another category with one simulated day, nothing captured', async () => {
  const sports = category({
    ...{ category: 'sports', simulated: true, first_day: '2026-04-13', last_day: '2026-04-13' },
    ...{ days: [day('2026-04-13')], captured: 0, captures: 0, watermark: null, markets: 0 },
  })
  serve({ 'GET /app/v1/archive': { data: [sports] } })
  await show(<Archive />)
  assert.equal(text('h2'), 'Sports 2026-04-13, simulated')
  assert.deepEqual(texts('.nums > div').slice(2), ['captured0', 'captures0none', 'watermark–'])
  assert.equal(all('.rounds').length, 0)
})

test('archive: not there yet, empty, and not to be had', async () => {
  const late = held()
  serve({ 'GET /app/v1/archive': () => late.answer })
  await show(<Archive />)
  assert.equal(one('main').getAttribute('aria-busy'), 'true')
  await late.free({ data: [] })
  assert.equal(one('main').getAttribute('aria-busy'), 'false')
  assert.match(text(), /The archive has no markets\.$/)
  serve({ 'GET /app/v1/archive': refusal(503, 'away') })
  await show(<Archive key="again" />)
  assert.equal(text('[role=alert]'), 'Not available at the moment. away')
})
