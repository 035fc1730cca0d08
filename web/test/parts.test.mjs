// Parts of the page by themselves, each drawn alone in a browser.
import { build } from 'esbuild'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { launched } from './world.mjs'

const here = dirname(fileURLToPath(import.meta.url))
let browser
before(async () => {
  browser = await launched()
})
after(() => browser?.close())

/** drawn shows a component of a file, with its properties as an expression. */
async function drawn(file, name, properties, width = 620) {
  const made = await build({
    stdin: {
      contents: `import { h, render } from 'preact'
import { ${name} } from '../src/${file}'
globalThis.told = []
const tell = (x) => globalThis.told.push(x)
render(h(${name}, ${properties}), document.getElementById('app'))`,
      resolveDir: here,
      loader: 'tsx',
    },
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  })
  const style = (await readFile(join(here, '../src/style.css'), 'utf8')).replace(
    /@font-face[^}]*}/,
    '',
  )
  const page = await browser.newPage({ viewport: { width, height: 700 } })
  await page.setContent(`<!doctype html><style>${style}</style><div id="app"></div>`)
  await page.addScriptTag({ content: made.outputFiles[0].text })
  return page
}

/** sticking lists texts of the pictures that reach out of them. */
const sticking = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('svg text')]
      .filter((t) => {
        const [a, b] = [t.getBoundingClientRect(), t.closest('svg').getBoundingClientRect()]
        return a.left < b.left - 0.5 || a.right > b.right + 0.5
      })
      .map((t) => t.textContent),
  )

// report is a run of so many trades that lose so much in all.
const report = (n, total) => `(() => {
  const trades = Array.from({ length: ${n} }, (_, i) => ({ pnl: ${total} / ${n}, exit_time: new Date(1775e9 + i * 3e5).toISOString(), exit_reason: i % 3 ? 'stop_loss' : 'expiry' }))
  let sum = 0
  return { trades, equity_curve: trades.map((t) => (sum += t.pnl)), stats: { max_drawdown: Math.max(0, ${-total}), mean_pnl: ${total} / ${n}, mean_pnl_interval: [${total} / ${n} - 1, ${total} / ${n} + 1] } }
})()`

test('equity: every label is whole, with its minus, at any size of loss', async () => {
  for (const total of [-226_358, -22_635, -150, 1_226_358]) {
    for (const width of [330, 900]) {
      const page = await drawn(
        'equity',
        'Equity',
        `{ report: ${report(60, total)}, chosen: 1, choose: tell }`,
        width,
      )
      const labels = await page.locator('svg text').allTextContents()
      assert.deepEqual(await sticking(page), [], `${total} at ${width}: ${labels.join(' | ')}`)
      if (total < -9999)
        assert.ok(
          labels.some((l) => /^−\d+,000$/.test(l)),
          labels.join(' | '),
        )
      await page.close()
    }
  }
})

test('equity: the ticks hold the whole range, and the trade under the pointer is the one that opens', async () => {
  const page = await drawn(
    'equity',
    'Equity',
    `{ report: ${report(37, -150)}, chosen: 1, choose: tell }`,
  )
  const line = await page.locator('polyline.line').boundingBox()
  const ticks = await page
    .locator('svg line.grid, svg line.zero')
    .evaluateAll((l) => l.map((e) => e.getBoundingClientRect().y))
  assert.ok(Math.min(...ticks) <= line.y + 1 && Math.max(...ticks) >= line.y + line.height - 1)
  const box = await page.getByRole('slider').boundingBox()
  for (const f of [0.3, 0.4137, 0.62]) {
    await page.mouse.move(box.x + box.width * f, box.y + 60)
    const said = await page.getByRole('slider').getAttribute('aria-valuetext')
    await page.mouse.down()
    await page.mouse.up()
    assert.equal(said.split(' ')[0], '#' + (await page.evaluate(() => globalThis.told.at(-1))))
  }
  await page.close()
})

test('interval and distribution: nothing sticks out, and losses are told from gains without colour', async () => {
  for (const width of [330, 900]) {
    const mean = await drawn(
      'interval',
      'Interval',
      `{ report: { ...${report(60, -9_000_000)} } }`,
      width,
    )
    assert.deepEqual(await sticking(mean), [])
    await mean.close()
    const page = await drawn(
      'distribution',
      'Distribution',
      `{ report: { ...${report(60, -900)}, trades: [{ pnl: -20 }, { pnl: -4 }, { pnl: 15 }] } }`,
      width,
    )
    assert.deepEqual(await sticking(page), [])
    assert.equal(await page.locator('rect.losing').count(), 2)
    assert.match(
      await page
        .locator('rect.losing')
        .first()
        .evaluate((e) => getComputedStyle(e).fill),
      /url/,
    )
    await page.close()
  }
})

test('the pnl of trades goes to both sides of zero', async () => {
  const page = await drawn(
    'trades',
    'Trades',
    `{ chosen: 1, choose: tell, trades: [5, -5].map((pnl, i) => ({ pnl, market_slug: 'btc-updown-15m-177500' + i, entry_time: '2026-04-02T12:00:00Z', exit_time: '2026-04-02T12:01:00Z', exit_reason: 'expiry', token_label: 'Up', entry_price: 0.3, exit_price: 0.4, shares: 10, fees: 0 })) }`,
    1000,
  )
  const zero = await page
    .locator('.pb')
    .first()
    .evaluate((e) => e.getBoundingClientRect().x + e.getBoundingClientRect().width / 2)
  const gain = await page.locator('.pb .g').boundingBox()
  const loss = await page.locator('.pb .l').boundingBox()
  assert.ok(Math.abs(gain.x - zero) < 1.5 && Math.abs(loss.x + loss.width - zero) < 1.5)
  await page.close()
})
