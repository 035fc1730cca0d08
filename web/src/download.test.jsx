import { csv, Download } from './download'
import { button, buttons, focus, gone, key, press, serve, show } from '../test/dom.mjs'
import { refusal, report, run, trade } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const body = { prompt: 'Buy Up', report: report([5, -3]) }
const files = [
  'JSON, the whole result',
  'CSV, the trades',
  'HTML, one page that needs nothing else',
]

test('download: the menu opens and closes: by its button, Escape, and going elsewhere', async () => {
  let heard = 0
  await show(
    <div onKeyDown={() => heard++}>
      <Download body={body} name="run_1" />
      <button>other</button>
    </div>,
  )
  assert.deepEqual(buttons(), ['Download', 'other'])
  assert.equal(button('Download').getAttribute('aria-expanded'), 'false')
  await press('Download')
  assert.deepEqual(buttons(), ['Download', ...files, 'other'])
  assert.equal(button('Download').getAttribute('aria-expanded'), 'true')
  await focus(button(files[0]))
  await key('Escape')
  assert.deepEqual(buttons(), ['Download', 'other'])
  assert.equal(heard, 0) // Escape closed the menu alone
  await press('Download')
  await focus(button(files[1]))
  await focus(button('other'))
  assert.deepEqual(buttons(), ['Download', 'other'])
})

test('download: each file has the run’s name and what it says', async () => {
  serve({ 'GET /app/v1/ai/backtests/run_1': [200, '<p>the run</p>'] })
  await show(<Download body={body} name="run_1" />)
  for (const [file, name] of [
    [files[0], 'run_1.json'],
    [files[1], 'run_1.csv'],
    [files[2], 'run_1.html'],
  ]) {
    await press('Download')
    await press(file)
    assert.equal(gone.at(-1), name)
    assert.deepEqual(buttons(), ['Download'])
  }
  const [json, , table, , html] = await Promise.all(gone)
  assert.deepEqual(JSON.parse(json), body)
  assert.equal(table, csv(body.report))
  assert.equal(html, '<p>the run</p>')
})

test('download: a page that cannot be had is told', async () => {
  serve({ 'GET /app/v1/ai/backtests/run_1': refusal(503, 'not available') })
  await show(<Download body={run().result} name="run_1" />)
  await press('Download')
  await press(files[2])
  assert.deepEqual(gone, ['alert: not available'])
})

test('download: a trade a line; what is not known is empty, and commas do not part a cell', () => {
  const odd = trade(5, 0, { market_slug: 'a,"b"\nc', exit_price: null, coverage: 0.5 })
  const [head, ...lines] = csv({ trades: [odd] }).split(/\n(?=market_|$)/)
  assert.match(head, /^market_id,market_slug,.*,pnl,slippage,coverage$/)
  assert.match(lines[0], /^market_0,"a,""b""\nc",token_0,Up,up,/)
  assert.match(lines[0], /,take_profit,,1\.25,5,,0\.5$/)
})
