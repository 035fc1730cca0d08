import { ofLink, ofRun } from './api'
import { OneTrade } from './trade'
import { all, button, document, held, one, press, serve, show, text, texts } from '../test/dom.mjs'
import { at, book, refusal, trade } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const list = [trade(28), trade(-21.4, 1, { token_label: '<b>Up</b>' })]
const order = (more = {}) => ({
  action: 'buy',
  as_of: at(60),
  arrival: at(60.25),
  cap: null,
  levels: [{ price: 0.35, shown: 200, taken: 142.86 }],
  refused: null,
  ...more,
})
const x = (more = {}) => ({ conditions: [], before: null, judged: [], orders: [order()], ...more })
const books = { 'GET /app/v1/tokens/*': { data: [book(60, [[0.34, 1]], [[0.35, 200]])] } }
const told = []
const one_ = (n, more = {}) => (
  <OneTrade
    from={ofRun('run_1')}
    trades={list}
    n={n}
    rule={undefined}
    choose={(k) => told.push(k)}
    {...more}
  />
)
const path = (n, id = 'run_1') => `GET /app/v1/ai/backtests/${id}/trades/${n}`
const gaps = { 'GET /app/v1/markets/*': { data: [] } }

test('trade: which it is, and the ladders that its orders met', async () => {
  const orders = [
    order(),
    order({ action: 'sell', retry: false }),
    order({ action: 'sell', retry: true }),
  ]
  const settlement = { shares: 142.86, payout: 1, time: at(900), proceeds: 142.86 }
  serve({ ...books, ...gaps, [path(1)]: x({ orders, settlement }) })
  await show(one_(1))
  assert.match(text('h2'), /^Trade 1 of 2 Up, round of Apr 13 12:00 UTC, take profit\+\$28\.00/)
  assert.equal(text('h2 .gain'), '+$28.00')
  assert.match(
    one('h2 a').getAttribute('href'),
    /^\/markets\/btc-updown-15m-\d+\?run=run_1&trade=1$/,
  )
  assert.deepEqual(texts('h3'), [
    ...['The asks it met', 'The bids it sold into', 'The bids it met again', 'Settlement'],
  ])
  assert.match(text('.walk'), /142\.86 shares at 1\.00 at 12:15:00: \+\$142\.86$/)
})

test('trade: from one to the next, and no further', async () => {
  told.length = 0
  serve({ ...books, ...gaps, [path(1)]: x(), [path(2)]: x() })
  await show(one_(1))
  assert.equal(button('Trade before').disabled, true)
  await press('Next trade')
  await show(one_(2))
  assert.match(text('h2'), /^Trade 2 of 2 <b>Up<\/b>, .*, stop loss−\$21\.40/)
  assert.equal(button('Next trade').disabled, true)
  await press('Trade before')
  assert.deepEqual(told, [2, 1])
  assert.doesNotMatch(text('#trade'), /orders that rested/)
})

test('trade: what is known of another is not told of this one; why it is not known', async () => {
  const late = held()
  serve({ ...books, ...gaps, [path(1)]: x(), [path(2)]: () => late.answer })
  await show(one_(1))
  assert.equal(all('.walk table').length, 1)
  await show(one_(2))
  assert.equal(all('.walk table').length, 0)
  await late.free(refusal(503, 'the archive is <away>'))
  assert.equal(text('.walk .loss'), 'the archive is <away>')
})

test('trade: by a link there is no page of its market; of no trade there is nothing', async () => {
  serve({
    'GET /v1/shared/secret/trades/1': x(),
    'GET /v1/shared/secret/trades/1/books?*': { data: [] },
  })
  await show(one_(1, { from: ofLink('secret') }))
  assert.equal(all('h2 a').length, 0)
  await show(one_(3))
  assert.equal(all('#trade').length, 0)
})

test('trade: what rested is followed by the run’s own rule, until another is chosen', async () => {
  const lives = (n) =>
    Array.from({ length: n }, () => ({
      ...{
        order: 'entry',
        action: 'buy',
        token: 'up',
        price: 0.45,
        accepted: at(1),
        ended: at(61),
      },
      ...{ end: 'filled', shares: 1, filled: 1, taken: 0, ahead: null, wear: [] },
    }))
  const resting = { through: lives(1), back: lives(2), front: lives(3) }
  serve({
    ...books,
    ...gaps,
    [path(1)]: x({ resting }),
    [path(2)]: x({ resting }),
    [path(1, 'run_2')]: x({ resting }),
  })
  const on = () => texts('[aria-pressed=true]')
  await show(one_(1, { rule: 'back' }))
  assert.deepEqual([on(), all('.life').length], [['back'], 2])
  assert.match(text('#trade'), /own orders that rested/)
  await press('front')
  assert.deepEqual([on(), all('.life').length], [['front'], 3])
  await show(one_(2, { rule: 'back' }))
  assert.deepEqual(on(), ['front'])
  await show(one_(1, { rule: 'through', from: ofRun('run_2') })) // another run has its own
  assert.deepEqual([on(), all('.life').length], [['through'], 1])
  assert.ok(!document.body.textContent.includes('NaN'))
})
