// Parts of the page by themselves, each drawn alone in a browser.
import { build } from 'esbuild'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { chromiumPath, patience } from './world.mjs'

const here = dirname(fileURLToPath(import.meta.url))
let browser
before(async () => {
  browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox'],
    timeout: patience,
  })
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

test('both curves are on one scale', async () => {
  const page = await drawn(
    'versus',
    'Curves',
    `{ a: ${report(40, -300)}, b: ${report(40, -150)} }`,
    900,
  )
  const [a, b] = await page
    .locator('.curves path')
    .evaluateAll((l) => l.map((e) => e.getBBox().height))
  assert.ok(Math.abs(a / b - 2) < 0.05, `${a} and ${b}`)
  assert.deepEqual(await sticking(page), [])
  await page.close()
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

test('a word is explained where a pointer, a finger and a key ask for it', async () => {
  const page = await drawn('hint', 'Hint', `{ help: 'What it is.', children: 'word' }`)
  await page.getByRole('button').hover()
  await page.getByRole('tooltip').waitFor()
  await page.mouse.move(600, 600)
  await page.getByRole('tooltip').waitFor({ state: 'detached' })
  await page.getByRole('button').focus()
  assert.equal(
    await page.getByRole('button').getAttribute('aria-describedby'),
    await page.getByRole('tooltip').getAttribute('id'),
  )
  await page.close()
})

test('warnings offer nothing where nothing can be run', async () => {
  const list = `[{ code: 'low_coverage', head: 'Low coverage', text: 'Some.', remedies: [{ label: 'Without', options: { min_coverage: 0.9 } }] }, { code: 'simulated', head: 'Simulated', text: 'x', remedies: [] }]`
  const mute = await drawn('warnings', 'Warnings', `{ list: ${list} }`)
  assert.equal(await mute.locator('li').count(), 1)
  assert.equal(await mute.getByRole('button').count(), 0)
  await mute.close()
  const page = await drawn('warnings', 'Warnings', `{ list: ${list}, replay: tell }`)
  await page.getByRole('button', { name: 'Without' }).click()
  assert.deepEqual(await page.evaluate(() => globalThis.told[0].options), { min_coverage: 0.9 })
  await page.close()
})

test('after the fill: markouts, excursions and the chosen trade; nothing where it was not asked for', async () => {
  const one = (x) =>
    `{ markout_1s: ${x}, markout_5s: 0.02, markout_30s: null, markout_settlement: 0.65, mae: -0.14, mfe: 0.03 }`
  const after = `{
    markouts: ['1s', '5s', '30s', 'settlement'].map((after, i) => ({ after, trades: 40 - i, mean: i === 2 ? null : 0.01 * i - 0.005, interval: i ? null : [-0.015, 0.005] })),
    mean_mae: -0.1, mean_mfe: 0.12, min_track_record: LONG, drawdown: { median: 310.94, p95: 1543.76 },
    trades: [${one(-0.01)}, ${one(0.0125)}] }`
  const of = (long) =>
    `{ report: { after: ${after.replace('LONG', long)}, stats: { max_drawdown: 230.2 } }, chosen: 2 }`
  for (const width of [330, 900]) {
    const page = await drawn('after', 'After', of('1234'), width)
    const rows = await page
      .locator('tbody tr')
      .evaluateAll((l) => l.map((r) => [...r.cells].map((c) => c.innerText.trim())))
    const cell = (i, n) => rows[i].at(n)
    assert.deepEqual(
      rows.map((r) => r[0]),
      [
        '1 s after',
        '5 s after',
        '30 s after',
        'at settlement',
        'worst until the exit',
        'best until the exit',
      ],
    )
    assert.equal(cell(0, 2), '−0.0050')
    assert.equal(cell(2, 2), '–') // not known of any trade
    assert.equal(cell(4, 2), '−0.1000')
    assert.deepEqual(
      rows.map((r) => r.at(-1)),
      ['+0.0125', '+0.0200', '–', '+0.6500', '−0.1400', '+0.0300'],
    )
    if (width === 900) assert.equal(cell(0, 3), '−0.0150 to +0.0050')
    const text = await page.locator('section.after').innerText()
    assert.match(text, /after 1,234 trades, were they independent; there are 2\./)
    assert.match(text, /\$310\.94 in the middle, \$1,543\.76 or more in 1 of 20; it was \$230\.20/)
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width)
    await page.close()
  }
  const never = await drawn('after', 'After', of('null'))
  await never.getByText('No number of trades like these').waitFor()
  await never.close()
  const none = await drawn('after', 'After', '{ report: { stats: {} }, chosen: 1 }')
  assert.equal(await none.locator('#app > *').count(), 0)
  await none.close()
})

test('beside a verdict: which look it is, and a lock that is closed until it was opened', async () => {
  const of = (words, opened) =>
    `{ words: ${JSON.stringify(words)}, held: { from: '2026-04-20T00:00:00Z', opened_at: ${opened} } }`
  const both = { look: '12th look at BTC 15m: 11 tries before it.', lock: 'Locked: rounds.' }
  const page = await drawn('looks', 'Looks', of(both, 'null'))
  await page.getByRole('img', { name: 'Lockbox, closed' }).waitFor()
  await page.getByText(both.look).waitFor()
  await page.close()
  const open = await drawn('looks', 'Looks', of(both, "'2026-04-21T00:00:00Z'"))
  await open.getByRole('img', { name: 'Lockbox, open' }).waitFor()
  await open.close()
  const first = await drawn('looks', 'Looks', '{ words: {} }')
  assert.equal(await first.locator('#app > *').count(), 0)
  await first.close()
})

test('what was tried: tries, resets and lockboxes of a series, or why there are none', async () => {
  const at = '2026-04-21T10:00:00Z'
  const one = { coin: 'BTC', market_type: '15m', side: 'up', made_at: at }
  const record = {
    families: [{ ...one, tries: 3, variants: 22, independent_tries: 7.25 }],
    tries: [
      {
        ...one,
        look: 3,
        prompt: 'third <b>',
        variants: 20,
        independent_tries: 5.25,
        done_at: null,
      },
      { ...one, look: 2, prompt: 'second', variants: 1, independent_tries: 1, done_at: at },
    ],
    resets: [{ ...one, tries: 4, reason: 'another idea' }],
    lockboxes: [{ from: at, made_at: at, opened_at: null, tries: null, seen_before: 0 }],
  }
  const asked = (status, body) =>
    `(globalThis.fetch = (p) => (tell(p), Promise.resolve(new Response(${JSON.stringify(JSON.stringify(body))}, { status: ${status}, headers: { 'Content-Type': 'application/json' } }))), { coin: 'BTC', type: '15m' })`
  const page = await drawn('record', 'Record', asked(200, record), 1000)
  await page.getByText('third <b>').waitFor()
  assert.deepEqual(await page.evaluate(() => globalThis.told), [
    '/app/v1/ai/tries?coin=BTC&market_type=15m',
  ])
  const text = await page.locator('.record').innerText()
  for (const words of [
    '3 tries on BTC 15m',
    'third <b> not over',
    '5.3',
    'The newest 2 of them.',
    '4 tries taken out of the count: “another idea”',
    'still locked',
  ])
    assert.ok(text.includes(words), `${words}: not in ${text}`)
  await page.close()
  const none = await drawn(
    'record',
    'Record',
    asked(503, { error: 'unavailable', message: 'the record of tries is not available' }),
  )
  await none.getByText('The record of tries is not available').waitFor()
  await none.close()
})

test('an offer of the language model is not a sentence with words left out', async () => {
  const refused = (alone) => `{ text: 'Buy Up below 40c, kind of early', refused: {
    error: 'bad_request', message: 'not understood: kind of early', status: 400, spans: [], assumptions: [],
    at: [{ start: 18, end: 31, text: 'kind of early', message: 'not understood' }],
    offers: { suggestion: 'Buy Up on BTC 15m when Up is at or below 40c, in the first 5 minutes',
      confirm: { strategy: {}, summary: 'Buy Up on BTC 15m when Up is at or below 40c, in the first 5 minutes',
        left_out: [{ start: 18, end: 31, text: 'kind of early' }], read_by_model_alone: ${alone} } } } }`
  const rules = await drawn('refusal', 'Refusal', refused('undefined'))
  assert.match(await rules.locator('.suggest').innerText(), /^Without .kind of early. it says:/)
  assert.equal(await rules.locator('button').innerText(), 'Leave it out')
  assert.equal(await rules.locator('del').count(), 1)
  await rules.close()
  const model = await drawn('refusal', 'Refusal', refused("['entry.0.window']"))
  const said = await model.locator('.suggest').innerText()
  assert.match(said, /The rules do not understand .kind of early.\. The language model reads:/)
  assert.equal(await model.locator('button').innerText(), 'That is meant')
  assert.equal(await model.locator('del').count(), 0)
  await model.close()
})
