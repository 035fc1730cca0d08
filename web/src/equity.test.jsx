import { Equity, thinned } from './equity'
import { all, focus, key, one, point, press, resized, show, texts } from '../test/dom.mjs'
import { report } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const slider = () => one('[role=slider]')
const said = () => slider().getAttribute('aria-valuetext')
const told = []
const equity = (pnl, chosen = 1) => (
  <Equity report={report(pnl)} chosen={chosen} choose={(n) => told.push(n)} />
)
const y = (e, name) => Number(e.getAttribute(name))

test('equity: it is read by keys, and Enter opens the trade', async () => {
  told.length = 0
  await show(equity([5, -3, 1, 4, 2], 2))
  await focus(slider())
  assert.equal(said(), '#2 −$3.00, equity +$2.00, Apr 13 12:22')
  for (const [pressed, n] of [
    ['ArrowRight', 3],
    ['ArrowUp', 4],
    ['ArrowLeft', 3],
    ['Home', 1],
    ['ArrowDown', 1], // there is none before
    ['PageUp', 2],
    ['End', 5],
    ['ArrowRight', 5],
  ]) {
    assert.ok(await key(pressed), pressed)
    assert.equal(slider().getAttribute('aria-valuenow'), String(n), pressed)
    assert.ok(said().startsWith(`#${n} `), said())
  }
  await key('Enter')
  await key('Home')
  await key(' ')
  assert.deepEqual(told, [5, 1])
  assert.equal(await key('ArrowLeft', { ctrlKey: true }), false) // the browser's own
  assert.equal(await key('x'), false)
})

test('equity: the trade under the pointer is the one that opens', async () => {
  told.length = 0
  await show(equity([5, -3, 1, 4, 2]))
  await point('pointermove', slider(), { clientX: 600 })
  assert.ok(said().startsWith('#5 '))
  await press(slider())
  await point('pointerleave', slider())
  assert.ok(said().startsWith('#1 '))
  assert.deepEqual(told, [5])
})

test('equity: a run of fewer trades comes while the pointer is on one of before', async () => {
  await show(equity([5, -3, 1, 4, 2]))
  await point('pointermove', slider(), { clientX: 600 })
  await show(equity([7, 1]))
  assert.equal(said(), '#2 +$1.00, equity +$8.00, Apr 13 12:22')
  await show(equity([7], 5)) // and while one was chosen that there is not
  assert.ok(said().startsWith('#1 '))
})

test('equity: the ticks hold the whole range, the drawdown stands below', async () => {
  for (const pnl of [[-150, 20, -3], [1e6, 226_358], [0.004], [-22_635.5]]) {
    await show(equity(pnl))
    const line = one('polyline.line').getAttribute('points').split(' ')
    const ys = line.map((p) => Number(p.split(',')[1]))
    const ticks = all('svg line.grid, svg line.zero').map((e) => y(e, 'y1'))
    assert.ok(
      Math.min(...ticks) <= Math.min(...ys) + 0.1 && Math.max(...ticks) >= Math.max(...ys) - 0.1,
    )
    assert.ok(texts('text').includes('drawdown') && texts('text').includes('trade 1'))
  }
  assert.ok(
    texts('text').some((t) => /^−\d+,\d{3}$/.test(t)),
    texts('text').join(),
  )
  assert.match(
    slider().getAttribute('aria-label'),
    /each of 1 trade: best \$0\.00, at the end −\$22,635\.50; max drawdown \$22,635\.50\./,
  )
})

test('equity: it is as wide as there is room; a day begins where it does', async () => {
  await show(equity(Array(60).fill(1)))
  await resized(900)
  assert.equal(slider().getAttribute('width'), '900')
  const marked = texts('text').filter((t) => t.startsWith('Apr'))
  assert.deepEqual(marked, ['Apr 14'])
})

test('equity: a line keeps the lowest and the highest of many points', () => {
  const ys = Array.from({ length: 100_000 }, (_, i) => Math.sin(i / 50))
  ys[77_777] = 9
  ys[33_333] = -9
  const kept = thinned(ys)
  assert.ok(kept.length <= 2100 && kept.includes(77_777) && kept.includes(33_333))
  assert.deepEqual([kept[0], kept.at(-1)], [0, 99_999])
  assert.ok(kept.every((k, i) => i === 0 || k >= kept[i - 1]))
  assert.deepEqual(thinned([3, 1]), [0, 1])
})
