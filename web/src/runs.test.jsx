import { Runs } from './runs'
import {
  all,
  asked,
  held,
  button,
  document,
  field,
  gone,
  key,
  passes,
  press,
  put,
  rows,
  serve,
  show,
  text,
  texts,
} from '../test/dom.mjs'
import { page, refusal, run } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const path = 'GET /app/v1/ai/backtests?limit=50'
const list = [
  run('run_3', { prompt: 'third <b>', created_at: '2026-04-20T11:03:00Z' }),
  run('run_2', { state: 'failed', headline: null, created_at: '2026-04-20T11:02:00Z' }),
  run('run_1', {
    headline: {
      verdict: 'not_enough_evidence',
      markets_traded: 1000,
      mean_pnl: null,
      mean_pnl_interval: null,
      total_pnl: -3,
    },
  }),
]
const runs = (search = '') => <Runs search={new URLSearchParams(search)} />
const at = () => all('a.t').indexOf(document.activeElement)

test('runs: each with its sentence, its numbers and its verdict', async () => {
  serve({ [path]: page(list) })
  await show(runs())
  assert.equal(document.title, 'Runs · Ladderback')
  assert.deepEqual(
    rows().map((r) => r.slice(1)),
    [
      [
        'Apr 20 11:03',
        'third <b>',
        'BTC 15m',
        '3',
        '+$1.00',
        '−$1.00 to +$3.00',
        '+$3.00',
        'No edge',
      ],
      ['Apr 20 11:02', list[1].prompt, 'BTC 15m', '', '', '', '', 'failed'],
      [
        'Apr 20 11:00',
        list[2].prompt,
        'BTC 15m',
        '1,000',
        '–',
        'too few trades',
        '−$3.00',
        'Not enough evidence',
      ],
    ],
  )
  assert.equal(field('Mark the run of Apr 20 11:02').disabled, true)
})

test('runs: marked by keys, before anything has the focus, and compared: the older is A', async () => {
  serve({ [path]: page(list) })
  await show(runs())
  assert.equal(button('Compare two marked').disabled, true)
  assert.ok(await key('ArrowDown')) // the page does not scroll
  assert.equal(at(), 0)
  await key(' ')
  await key('j')
  await key('x') // it failed: nothing to compare
  await key('j')
  await key('j')
  assert.equal(at(), 2)
  await key('x')
  assert.deepEqual(texts('tr.sel a.t'), ['third <b>', list[2].prompt])
  await key('k')
  assert.equal(at(), 1)
  await key('c')
  assert.equal(location.pathname, '/runs/run_1/compare/run_3')
})

test('runs: two at most are marked: the oldest mark goes', async () => {
  serve({ [path]: page([run('run_4'), ...list]) })
  await show(runs())
  for (const box of all('input[type=checkbox]')) await press(box)
  assert.equal(all('tr.sel').length, 2)
  await press('Compare the two')
  assert.equal(location.pathname, '/runs/run_1/compare/run_3')
})

test('runs: keys of a field are its own', async () => {
  serve({ [path]: page(list) })
  await show(runs())
  assert.equal(await key('x', { on: field('Search the sentences') }), false)
  assert.equal(await key('j', { ctrlKey: true }), false)
  assert.equal(at(), -1)
})

test('runs: searched and filtered, from the address too; a late answer takes no place', async () => {
  serve({ 'GET /app/v1/ai/backtests?*': page(list) })
  await show(runs('coin=ETH&market_type=1h'))
  assert.match(asked[0].name, /\?coin=ETH&market_type=1h&limit=50$/)
  assert.equal(field('Coin').value, 'ETH')
  await put('Search the sentences', '30 cents')
  await put('Any verdict', 'no_edge')
  await put('Any state', 'done')
  await passes(150)
  assert.equal(asked.length, 2)
  assert.match(
    asked[1].name,
    /\?search=30\+cents&coin=ETH&market_type=1h&verdict=no_edge&state=done&limit=50$/,
  )
})

test('runs: older ones, none, none like that, none to be had', async () => {
  serve({ [path]: page(list, 'next'), [path + '&cursor=next']: page([run('run_0')]) })
  await show(runs())
  await press('Older runs')
  assert.equal(all('a.t').length, 4)
  serve({ 'GET /app/v1/ai/backtests?search=x&limit=50': page([]) })
  await put('Search the sentences', 'x')
  await passes(150)
  assert.match(text(), /No run is like that\.$/)
  serve({ [path]: page([]) })
  await show(<Runs key="none" search={new URLSearchParams()} />)
  assert.match(text(), /No runs yet\. Write a sentence and run it\.$/)
  assert.equal(button('Download all, JSON lines').disabled, true)
  serve({ [path]: refusal(503, 'away') })
  await show(<Runs key="away" search={new URLSearchParams()} />)
  assert.equal(text('[role=alert]'), 'Not available at the moment. away')
})

test('runs: all as JSON lines, past the limit of the key, without those forgotten meanwhile', async () => {
  const every = 'GET /app/v1/ai/backtests?limit=1000'
  let refused = 0
  serve({
    [path]: page(list),
    [every]: page(list.slice(0, 2), 'a/b'),
    [every + '&cursor=a%2Fb']: page([list[2], run('run_0')]),
    'GET /app/v1/ai/backtests/run_3': () =>
      refused++ ? list[0] : refusal(429, 'too many', {}, { 'Retry-After': '7' }),
    'GET /app/v1/ai/backtests/run_1': list[2],
    'GET /app/v1/ai/backtests/run_0': refusal(404, 'forgotten'),
  })
  await show(runs())
  await press('Download all, JSON lines')
  assert.equal(button('0 runs fetched …').disabled, true)
  await passes(7000)
  const [lines, name] = gone
  assert.equal(name, 'runs.jsonl')
  assert.deepEqual(
    (await lines)
      .trimEnd()
      .split('\n')
      .map((l) => JSON.parse(l)),
    [list[0], { ...list[1], result: null }, list[2]],
  )
  assert.equal(button('Download all, JSON lines').disabled, false)
})

test('runs: a late refusal of what was asked before is not told', async () => {
  const late = held()
  const of = (search) => `GET /app/v1/ai/backtests?search=${search}&limit=50`
  serve({ [path]: page(list), [of('old')]: () => late.answer, [of('new')]: page(list.slice(0, 1)) })
  await show(runs())
  await put('Search the sentences', 'old')
  await passes(150)
  await put('Search the sentences', 'new')
  await passes(150)
  await late.free(refusal(503, 'away'))
  assert.equal(all('[role=alert]').length, 0)
  assert.equal(all('a.t').length, 1)
})
