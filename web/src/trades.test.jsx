import { orderOf, Trades } from './trades'
import {
  all,
  button,
  does,
  field,
  one,
  press,
  put,
  show,
  text,
  texts,
  window,
} from '../test/dom.mjs'
import { report, trade } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const three = [trade(5, 0), trade(-2, 1), trade(7.5, 2, { exit_reason: 'expiry', coverage: 0.5 })]
const numbers = () => all('tr[data-n]').map((r) => Number(r.dataset.n))
const cells = (n) => [...one(`tr[data-n="${n}"]`).children].map((c) => c.textContent)
const told = []
const trades = (list, chosen = 1) => (
  <Trades trades={list} chosen={chosen} choose={(n) => told.push(n)} />
)

test('trades: in the order that was asked for, by their own numbers', () => {
  const at = (m) => `2026-04-02T12:${m}:00Z`
  const list = [
    { pnl: 5, exit_reason: 'expiry', entry_time: at('30') },
    { pnl: -2, exit_reason: 'stop_loss', entry_time: at('10') },
    { pnl: 5, exit_reason: 'expiry', entry_time: at('20') },
  ]
  assert.deepEqual(orderOf(list, 'exit', false, ''), [1, 2, 3])
  assert.deepEqual(orderOf(list, 'exit', true, ''), [3, 2, 1])
  assert.deepEqual(orderOf(list, 'pnl', true, ''), [1, 3, 2])
  assert.deepEqual(orderOf(list, 'round', false, ''), [2, 3, 1])
  assert.deepEqual(orderOf(list, 'pnl', false, 'expiry'), [1, 3])
})

test('trades: every cell is that of the trade', async () => {
  await show(trades(three))
  assert.deepEqual(cells(2), [
    ...[
      '2',
      'Apr 13 12:15',
      'Up',
      '0.3500',
      '142.86',
      '0.2000',
      'stop loss',
      '6m12s',
      '1.25',
      '−$2.00',
      '',
    ],
  ])
  assert.equal(one('tr[data-n="2"] .loss').textContent, '−$2.00')
  assert.equal(one('tr[data-n="2"] .pb i').style.width, `${(2 / 7.5) * 50}%`)
  const odd = trade(0, 0, { market_slug: 'who-wins', token_label: '<b>Yes</b>', exit_price: null })
  await show(trades([odd]))
  assert.equal(cells(1)[1], 'Apr 13 12:01') // the entry: its slug names no round
  assert.equal(cells(1)[2], '<b>Yes</b>')
  assert.equal(cells(1)[5], '–')
  assert.equal(text('h2 small'), '1 trade, times in UTC')
})

test('trades: one is chosen by its row or its number', async () => {
  told.length = 0
  await show(trades(three, 2))
  assert.equal(one('[aria-selected=true]').dataset.n, '2')
  await press(one('tr[data-n="3"] td:nth-child(4)'))
  await press('Trade 1')
  assert.deepEqual(told.slice(0, 2), [3, 1])
})

test('trades: those of poorly recorded rounds are marked, and the mark is explained', async () => {
  await show(trades(three))
  assert.deepEqual(texts('tr[data-n] td:nth-child(2)'), [
    ...['Apr 13 12:00', 'Apr 13 12:15', 'Apr 13 12:30* recorded for 50.0% of the round'],
  ])
  assert.match(text(), /\* The round was recorded for less than 90% of its length\.$/)
  await show(trades(three.slice(0, 2)))
  assert.doesNotMatch(text(), /\*/)
})

test('trades: sorted by a head, and back; filtered by the exit, and counted', async () => {
  await show(trades(three))
  const head = (name) => all('th button').find((b) => b.textContent.startsWith(name))
  const sort = (name) => head(name).closest('th').getAttribute('aria-sort')
  assert.deepEqual([sort('#'), sort('pnl')], ['ascending', 'none'])
  await press(head('pnl'))
  assert.deepEqual(numbers(), [3, 1, 2]) // the best first
  assert.deepEqual([sort('#'), sort('pnl')], ['none', 'descending'])
  await press(head('pnl'))
  assert.deepEqual(numbers(), [2, 1, 3])
  await press(head('round'))
  assert.deepEqual(numbers(), [1, 2, 3])
  await put('Exit reason', 'expiry')
  assert.deepEqual(numbers(), [3])
  assert.equal(text('h2 small'), '1 of 3, times in UTC')
  assert.equal(one('table').getAttribute('aria-rowcount'), '2')
  await put('Exit reason', '')
  assert.equal(numbers().length, 3)
})

test('trades: another run has none of the exit that was asked for: all of its are shown', async () => {
  await show(trades(three))
  await put('Exit reason', 'expiry')
  await show(trades(three.slice(0, 2)))
  assert.deepEqual(numbers(), [1, 2])
  assert.equal(field('Exit reason').value, '')
  await show(trades([trade(1), trade(2, 1)])) // and of one exit alone nothing is to be chosen
  assert.equal(numbers().length, 2)
  assert.equal(all('select').length, 0)
})

test('trades: of 10,000 only the rows in view are in the document, and each is reached', async () => {
  await show(trades(report(Array.from({ length: 10_000 }, (_, i) => i % 7)).trades))
  const box = one('.scroll')
  const scrolled = (to) =>
    does(() => {
      box.scrollTop = to
      box.dispatchEvent(new window.Event('scroll'))
    })
  for (const n of [1, 5000, 10_000]) {
    await scrolled((n - 1) * 26)
    assert.ok(numbers().includes(n), `${n} is not among ${numbers()}`)
    assert.ok(numbers().length < 60)
    const spare = all('tbody tr[aria-hidden] td').reduce(
      (h, td) => h + parseFloat(td.style.height),
      0,
    )
    assert.equal(spare / 26 + numbers().length, 10_000)
  }
  assert.equal(one('tr[data-n="10000"]').getAttribute('aria-rowindex'), '10001')
  assert.equal(button('Trade 10000').textContent, '10,000')
})

test('trades: a trade that is chosen elsewhere comes into view', async () => {
  const many = report(Array(500).fill(1)).trades
  await show(trades(many, 1))
  await show(trades(many, 300))
  const { scrollTop } = one('.scroll')
  assert.ok(scrollTop <= 299 * 26 && scrollTop + 300 >= 300 * 26, String(scrollTop))
})
