import { set, useBench } from './bench'
import { label, Tries } from './tries'
import { all, empty, one, show, text, texts } from '../test/dom.mjs'
import { options, run, summary } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

test('tries: another run is named by the field that it changes, or by its options', () => {
  const said =
    "Buy Up on BTC 15m markets when Up's price is below 35c. Take profit at 55c. $50 per trade."
  const of = (s, more = {}) => ({ summary: s, options: { ...options, ...more } })
  const a = of(said)
  assert.equal(label(of(said.replace('35c', '30c')), a), 'price is below 30c')
  assert.equal(label(of(said.replace('$50', '$60')), a), '$60 per trade')
  assert.equal(label(of(said, { winners: 'inferred' }), a), 'official and inferred winners')
  const early = said.replace('markets when', 'markets in the first 3 minutes when')
  assert.equal(label(of(said), of(early)), "when Up's price is below 35c")
  assert.equal(
    label(of(said.replace('on BTC', 'on ETH')), a).split(' when')[0],
    'Buy Up on ETH 15m markets',
  )
  assert.equal(label(of(said), a), 'the same again')
  assert.equal(label(of(said.split('. ')[0] + '.'), a), 'says less')
})

const Shown = () => <Tries s={useBench()} />
const tried = (n, mean_pnl) =>
  run('run_' + n, {
    prompt: `<b>${n}</b>`,
    summary: summary.replace('35c', 30 + n + 'c'),
    headline: mean_pnl === undefined ? null : { mean_pnl, mean_pnl_interval: null },
  })

test('tries: the done runs of the same idea, this one among them, eight at most', async () => {
  const list = [
    tried(1, 2),
    tried(2, -3),
    tried(3, null),
    { ...tried(4, 1), coin: 'ETH' },
    { ...tried(5, 1), state: 'failed' },
    tried(6),
  ]
  set({ run: run('run_2'), tries: list, older: true })
  await show(<Shown />)
  assert.deepEqual([texts('.n.gain'), texts('.n.loss')], [['+2.00'], ['−3.00']])
  assert.match(text('.lab'), /^3 runs and older ones kept on BTC 15m\. The best of many tries/)
  assert.deepEqual(
    all('li').map((l) => [l.querySelector('a').textContent, l.lastChild.textContent]),
    [
      ['31c', '+2.00'],
      ['this run', '−3.00'],
      ['33c', '–'],
    ].map(([name, mean]) => [name === 'this run' ? name : 'price is below ' + name, mean]),
  )
  assert.equal(one('[aria-current=true] a').getAttribute('href'), '/runs/run_2')
  assert.equal(all('a')[0].title, '<b>1</b>')
  set({ tries: Array.from({ length: 12 }, (_, i) => tried(i, i)), older: false })
  await show(<Shown />)
  assert.match(text('.lab'), /^12 runs kept on BTC/)
  assert.equal(texts('li').length, 8)
})

test('tries: nothing of a single one, nor before its sentence is read', async () => {
  set({ run: run('run_1'), tries: [tried(1, 2)] })
  await show(<Shown />)
  assert.ok(empty())
  set({ tries: [tried(1, 2), tried(2, 1)], prompt: 'Buy Up' })
  await show(<Shown />)
  assert.ok(empty())
})
