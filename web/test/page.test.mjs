// The page in a browser, over the demo archive: every screen and state, the numbers on
// it, the keys, and what must never happen.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import test, { after, before } from 'node:test'
import { crowded, enlarge } from './large.mjs'
import { axeLooks, patience, World } from './world.mjs'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const sentence =
  'Buy Up on BTC 15m when Up drops below 35 cents in the first 5 minutes, take profit at 55c, stop at 20c, $50 per trade, last 100 markets'
const another = sentence.replace('35 cents', '30 cents')

let w
let first, second, none
before(async () => {
  w = await World.begin()
})
after(() => w?.end())

const verdict = (page) => page.locator('#verdict')
const shown = (page) => page.waitForSelector('canvas[data-drawn]')
/** settled waits until no sentence comes any more by itself: the newest run is on show, or there is none. */
const settled = (page) => page.waitForSelector('.examples, #verdict')
/** refusedOf is what the server says of a sentence that it refuses. */
const refusedOf = (prompt) =>
  w.api('/ai/parse', { method: 'POST', body: JSON.stringify({ prompt, parser: 'rules' }) })
/** drawn waits until what was just changed has been laid out and painted. */
const drawn = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  )
/** leads presses G and a letter at the same time: the second key never comes too late for the first. */
async function leads(page, letter, path) {
  await w.keys(page, 'g' + letter)
  await page.waitForFunction((to) => location.pathname === to, path)
}

test('nobody is signed in: a key is taken once and kept nowhere', async () => {
  const page = await w.open('/', { key: null })
  await page.locator('#key').waitFor()
  // What to do about the wrong key is told after the right one was taken: it signs nobody out.
  let free
  const held = new Promise((r) => {
    free = r
  })
  await page.route('**/app/options', async (route) => {
    await held
    await route.continue()
  })
  await page.fill('#key', 'lb_wrong')
  const late = page.waitForRequest('**/app/options')
  await page.keyboard.press('Enter')
  await page.getByText('API key invalid or revoked').waitFor()
  await late
  await page.fill('#key', w.key)
  await page.keyboard.press('Enter')
  await page.locator('#sentence').waitFor()
  const heard = page.waitForEvent('requestfinished', (r) => r.url().endsWith('/app/options'))
  free()
  await heard
  await drawn(page)
  assert.equal(await page.locator('#key').count(), 0)
  const kept = await page.evaluate(
    () =>
      JSON.stringify({ ...localStorage, ...sessionStorage }) +
      document.cookie +
      location.href +
      document.documentElement.outerHTML,
  )
  assert.ok(!kept.includes(w.key), 'the key is still in the page')
  assert.ok(!w.log.includes(w.key), 'the key is in the log')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.locator('#key').waitFor()
  await w.close(page)
})

test('no runs yet: three sentences to click', async () => {
  const page = await w.open('/')
  const examples = page.locator('.examples button')
  await examples.first().waitFor()
  assert.equal(await examples.count(), 3)
  for (let i = 0; i < 3; i++) {
    // each of them reads whole
    await page.fill('#sentence', '')
    await examples.nth(i).click()
    await page.getByText('Read whole.').waitFor()
  }
  await w.close(page)
})

test('the main job by keyboard alone', async () => {
  const page = await w.open('/')
  await page.locator('#sentence').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type(sentence)
  await page.getByText('Read whole.').waitFor()
  // A part of the sentence may have been read while it was typed: the whole one follows.
  const words = page.locator('.under mark')
  await words.filter({ hasText: 'last 100 markets' }).waitFor()
  await words.filter({ hasText: 'in the first' }).waitFor()
  assert.deepEqual(await words.allTextContents(), [
    'Buy Up',
    'on BTC',
    '15m',
    'when Up drops below 35 cents',
    'in the first 5 minutes',
    'take profit at 55c',
    'stop at 20c',
    '$50 per trade',
    'last 100 markets',
  ])
  assert.deepEqual(await page.locator('dl.f dt').allTextContents(), [
    'Buy',
    'When',
    'Target',
    'Stop',
    'Else',
    'Money',
    'Sample',
  ])
  assert.equal(await page.locator('dl.f .tag').count(), 1) // nothing was said of holding
  await page.keyboard.press('Control+Enter')
  await verdict(page).waitFor()
  await shown(page)
  assert.match(page.url(), /\/runs\/run_\w+$/)
  assert.ok(!page.url().includes('BTC'))
  await page.keyboard.press('Escape') // out of the sentence
  await page.keyboard.press('j')
  await page.getByText('Trade 2 of').waitFor()
  await page.keyboard.press('k')
  await page.getByText('Trade 1 of').waitFor()
  await shown(page)
  await page.keyboard.press('ArrowRight')
  const told = page.locator('.told')
  await told.filter({ hasText: 'bid' }).waitFor()
  const at = await told.textContent()
  await page.keyboard.press('Shift+ArrowRight')
  await page.waitForFunction((was) => document.querySelector('.told').textContent !== was, at)
  await page.keyboard.press('End')
  await leads(page, 'r', '/runs')
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('workbench')
  await page.keyboard.press('Enter')
  await verdict(page).waitFor()
  await page.keyboard.press('?')
  await page.getByLabel('keys of one letter').waitFor()
  await page.keyboard.press('Escape')
  await w.close(page)
})

test('keys that are typed before the page is painted go where they were meant to', async () => {
  const page = await w.open('/runs')
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  // The list of commands has the focus before the task of the key is over: no key comes sooner.
  assert.equal(
    await page.evaluate(async () => {
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }),
      )
      await Promise.resolve()
      return document.activeElement.getAttribute('aria-label')
    }),
    'Search commands',
  )
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  await w.throttle(page, 10)
  await w.keys(
    page,
    'Control+k',
    'go to markets',
    'Enter',
    'Control+k',
    'write',
    'Enter',
    'Buy Up on gtc',
  )
  await page.locator('#sentence').waitFor()
  assert.equal(await page.inputValue('#sentence'), 'Buy Up on gtc')
  assert.equal(new URL(page.url()).pathname, '/')
  await w.keys(page, 'Escape', 'ga', 'gr', '/', 'x')
  await page.waitForFunction(
    () => location.pathname === '/' && document.querySelector('#sentence').value.endsWith('x'),
  )
  await w.close(page)
})

test('runs for the other tests', async () => {
  const [newest] = (await w.api('/ai/backtests?limit=1')).data // there, if it was made by keyboard alone
  first = newest ? await w.api('/ai/backtests/' + newest.id) : await w.ran(sentence)
  second = await w.ran(another)
  none = await w.ran(
    'Buy Up on BTC 15m when Up drops below 1 cent in the first 1 second, last 20 markets',
  )
  assert.ok(first.result.report.trades.length > 12)
  assert.equal(none.result.report.trades.length, 0)
})

test('nothing moves while a run comes, and little is sent for it', async (t) => {
  // Among many runs; the third time the reading comes behind all else, the fourth the font.
  const more = []
  while (more.length < 60) more.push((await w.ran(second.prompt)).id)
  for (const [path, late] of [
    ['/runs/' + first.id],
    ['/runs'],
    ['/runs/' + first.id, '**/ai/parse'],
    ['/runs/' + first.id, '**/*.woff2'],
  ]) {
    const page = await w.open(path, {
      before: async (p) => {
        if (late)
          await p.route(late, async (r) => {
            await p.locator('canvas[data-drawn]').first().waitFor()
            await p.locator('.hist').waitFor(late.endsWith('parse') ? { state: 'detached' } : {})
            await r.continue()
          })
        await p.addInitScript(() => {
          globalThis.shifted = 0
          new PerformanceObserver((list) => {
            for (const e of list.getEntries()) if (!e.hadRecentInput) globalThis.shifted += e.value
          }).observe({ type: 'layout-shift', buffered: true })
        })
      },
    })
    await page.locator('canvas[data-drawn], a.t').first().waitFor()
    if (path !== '/runs') await page.locator('.hist').waitFor()
    await page.evaluate(() => document.fonts.ready)
    await page.waitForFunction(() => document.fonts.check('14px Inter'))
    await drawn(page)
    const { shift, bytes } = await page.evaluate(() => ({
      shift: globalThis.shifted,
      bytes: performance.getEntries().reduce((n, e) => n + (e.transferSize ?? 0), 0),
    }))
    t.diagnostic(`${path.slice(0, 6)}: shift ${shift.toFixed(4)}, ${bytes} bytes`)
    assert.ok(shift <= 0.02, `${path} moved by ${shift}`)
    assert.ok(bytes <= 170 * 1024, `${path} took ${bytes} bytes`)
    await w.close(page)
  }
  for (const id of more) await w.api('/ai/backtests/' + id, { method: 'DELETE' })
})

test('a run says which look at its rounds it is, what came after its fills, and what was tried', async () => {
  const run = await w.ran(sentence.replace('35 cents', '31 cents'), {
    include: ['fills', 'sensitivity', 'after'],
  })
  assert.match(run.words.look, /^\d+(st|nd|rd|th) look at BTC 15m: /)
  const page = await w.open('/runs/' + run.id)
  assert.equal(await page.locator('.verdict .looks').innerText(), run.words.look)
  const rows = await page
    .locator('.after tbody tr')
    .evaluateAll((l) => l.map((r) => [...r.cells].map((c) => c.innerText.trim())))
  const facts = run.result.report.after
  const means = [...facts.markouts.map((m) => m.mean), facts.mean_mae, facts.mean_mfe]
  for (const [i, x] of means.entries())
    assert.ok(Math.abs(Number(rows[i][2].replace('−', '-')) - x) <= 0.00005, `${rows[i]}: ${x}`)
  await page.locator('summary').filter({ hasText: 'What was tried on BTC 15m?' }).click()
  // The same try is on record once, whenever it was made.
  const own = page.locator('.record tbody tr').filter({ hasText: '31 cents' })
  await own.waitFor()
  assert.equal(await own.locator('td').first().innerText(), String(run.tries.look))
  await w.close(page)
})

test('simulated data is said on every screen', async () => {
  const page = await w.open('/runs/' + first.id)
  const band = page.getByText('SIMULATED DATA.')
  await band.waitFor()
  for (const name of ['Runs', 'Markets', 'Archive', 'Workbench']) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.locator('nav [aria-current]').filter({ hasText: name }).waitFor()
    await band.waitFor()
  }
  await w.close(page)
})

test('a server that is killed in the middle: the page waits, and finds the run again', async () => {
  const page = await w.open('/runs/' + first.id)
  await verdict(page).waitFor()
  await page.fill('#sentence', sentence.replace('$50', '$60'))
  await page.getByText('Read whole.').waitFor()
  const deaf = [/\/events$/, /\/backtests\/\w+$/] // the page hears nothing of its end
  for (const path of deaf) await page.route(path, (route) => route.abort())
  await page.keyboard.press('Control+Enter')
  await page.getByText('The run goes on as soon as the server is back').waitFor()
  await page.waitForURL((url) => !url.pathname.includes(first.id))
  const id = page.url().split('/').at(-1)
  await w.kill('SIGKILL')
  for (const path of deaf) await page.unroute(path)
  await page.waitForEvent('requestfailed', (r) => r.url().includes(id)) // it has asked the dead one
  assert.equal(await page.locator('article.stale').count(), 1)
  await page.getByText('Connection lost').waitFor()
  await w.serve()
  // The key of before went with its server: the page asks for the new one. Between the
  // refusal and the form it shows neither the run nor the form.
  const found = ([part, form]) =>
    (form && document.querySelector('#key')) ||
    (document.querySelector('.meta')?.textContent.includes(part) &&
      !document.querySelector('.progress'))
  const part = id.slice(4, 12)
  await page.waitForFunction(found, [part, true])
  if (await page.locator('#key').count()) {
    await page.fill('#key', w.key)
    await page.keyboard.press('Enter')
  }
  await page.waitForFunction(found, [part, false])
  await w.close(page)
})

test('every cell of the trades table equals the JSON', async () => {
  const page = await w.open('/runs/' + first.id)
  await page.locator('#trades tr[data-n]').first().waitFor()
  const seen = new Map()
  const trades = first.result.report.trades
  for (let y = 0; seen.size < trades.length && y < trades.length * 26 + 400; y += 250) {
    await page.evaluate((top) => {
      document.querySelector('#trades').parentElement.scrollTop = top
    }, y)
    const top = Math.min(trades.length, Math.floor(y / 26) + 1)
    await page.locator(`#trades tr[data-n="${top}"]`).waitFor()
    for (const [n, cells] of await page.$$eval('#trades tr[data-n]', (rows) =>
      rows.map((r) => [Number(r.dataset.n), [...r.cells].map((c) => c.textContent)]),
    ))
      seen.set(n, cells)
  }
  assert.equal(seen.size, trades.length)
  const number = (s) => Number(s.replace('−', '-').replace(/[+$,]/g, ''))
  const near = (cell, x, by, n) =>
    assert.ok(Math.abs(number(cell) - x) <= by / 2 + 1e-9, `trade ${n}: ${cell} is not ${x}`)
  trades.forEach((t, i) => {
    const c = seen.get(i + 1)
    assert.equal(c[0], String(i + 1))
    const start = new Date(Number(t.market_slug.split('-').at(-1)) * 1000).toUTCString() // "Mon, 13 Apr 2026 12:30:00 GMT"
    assert.equal(c[1], `${start.slice(8, 11)} ${start.slice(5, 7)} ${start.slice(17, 22)}`)
    assert.equal(c[2], t.token_label)
    near(c[3], t.entry_price, 1e-4, i)
    near(c[4], t.shares, 1e-2, i)
    near(c[5], t.exit_price, 1e-4, i)
    assert.equal(c[6], t.exit_reason.replaceAll('_', ' '))
    const held = (Date.parse(t.exit_time) - Date.parse(t.entry_time)) / 1000
    const m = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(c[7])
    assert.ok(
      m &&
        Math.abs((Number(m[1] ?? 0) * 60 + Number(m[2] ?? 0)) * 60 + Number(m[3] ?? 0) - held) <=
          (m[1] ? 60 : 1),
      `${c[7]} is not ${held}`,
    )
    near(c[8], t.fees, 1e-2, i)
    near(c[9], t.pnl, 1e-2, i)
  })
  const r = first.result.report
  const nums = Object.fromEntries(
    await page.$$eval('.nums > div', (d) =>
      d.map((e) => [
        e.querySelector('dt').textContent,
        e.querySelector('dd').firstChild.textContent,
      ]),
    ),
  )
  assert.equal(nums.trades, String(r.trades.length))
  assert.ok(Math.abs(number(nums['total pnl']) - r.total_pnl) <= 0.005)
  assert.ok(Math.abs(number(nums['win rate'].replace('%', '')) / 100 - r.win_rate) <= 0.0005)
  assert.ok(Math.abs(number(nums['max drawdown']) - r.stats.max_drawdown) <= 0.005)
  assert.ok(Math.abs(number(nums.fees) - r.stats.fees) <= 0.005)
  await w.close(page)
})

test('what was taken stood in the book', async () => {
  const page = await w.open('/runs/' + first.id)
  await shown(page)
  for (let n = 1; n <= 5; n++) {
    const t = first.result.report.trades[n - 1]
    const buy = t.legs.find((l) => l.action === 'buy')
    if (n > 1) await page.getByLabel('Next trade').click()
    await page.getByText(`Trade ${n} of`).waitFor()
    const rows = page.locator('.walk table').first().locator('tr.tk')
    await rows.first().waitFor()
    const drawn = await rows.evaluateAll((list) => list.map((r) => Number(r.cells[0].textContent)))
    assert.deepEqual(
      drawn,
      buy.levels.map((l) => l[0]),
    )
    const start = Math.floor(Date.parse(buy.as_of) / 250) * 0.25
    const books = await w.api(
      `/tokens/${encodeURIComponent(t.token_id)}/books?start_ts=${start}&end_ts=${start + 1}&resolution=250ms`,
    )
    const levels = new Set(books.data.flatMap((b) => b.asks.map((l) => l[0])))
    for (const p of drawn) assert.ok(levels.has(p), `${p} is no level of the book`)
  }
  await w.close(page)
})

test('a sentence that is nearly read, has two readings or is misspelt says so in itself; a press mends it', async () => {
  const page = await w.open('/')
  await settled(page)
  const marks = (kind) => page.locator('.under mark.' + kind)
  const mended = async (text, head, kind, marked, button) => {
    await page.fill('#sentence', text)
    await page.locator('#sentence').blur()
    await page.locator('#reading b').filter({ hasText: head }).waitFor()
    await page.waitForFunction(
      (t) => document.querySelector('.under').textContent.includes(t),
      text,
    )
    assert.deepEqual(await marks(kind).allTextContents(), marked)
    await button().click()
    await page.getByText('Read whole.').waitFor()
    return page.inputValue('#sentence')
  }
  const offer = page.locator('.refusal')
  const nearly = 'Buy Up on wobbly BTC 15m when Up drops below 35 cents'
  const confirm = async () => (await refusedOf(nearly)).confirm
  assert.equal(
    await mended(nearly, 'Nearly read.', 'omit', ['on wobbly'], () =>
      offer.getByRole('button', { name: 'Leave it out' }),
    ),
    (await refusedOf(nearly)).suggestion,
  )
  await page.fill('#sentence', nearly)
  await page.keyboard.press('Control+Enter') // nothing of it runs before somebody has said yes
  const { summary: meant } = await confirm()
  await page.locator('.progress').waitFor({ state: 'detached' }) // it is asked, and refused
  await offer.getByText(meant).waitFor()
  const two = 'buy up if it trades up to 65c'
  const { choices } = await refusedOf(two)
  assert.equal(
    await mended(two, 'Two readings.', 'twice', ['if it trades up to 65c'], () =>
      offer.getByRole('button', { name: 'at most' }),
    ),
    choices[1].summary,
  )
  assert.match(
    await mended('Buy Up on BTV 15m when Up drops below 35c', 'Not read.', 'bad', ['BTV'], () =>
      offer.getByRole('button', { name: 'Use this' }),
    ),
    /^Buy Up on btc 15m/i,
  )
  await w.close(page)
})

test('orders, sizes and a bankroll stand among the fields, in the words of the summary', async () => {
  const page = await w.open('/')
  await settled(page)
  const text =
    'bid 30c for Up on BTC 15m, cancel after 2 minutes, sell half at 45c, stop at 20c, 20 shares, bankroll $1,000'
  await page.fill('#sentence', text)
  await page.getByText('Read whole.').waitFor()
  await page.locator('dl.f dt').filter({ hasText: 'Bankroll' }).waitFor()
  const { summary } = (
    await w.api('/ai/parse', { method: 'POST', body: JSON.stringify({ prompt: text }) })
  ).parse
  const fields = await page.$$eval('dl.f > div', (l) =>
    l.map((d) => [
      d.querySelector('dt').textContent,
      d.querySelector('dd > span').firstChild.textContent,
    ]),
  )
  assert.deepEqual(
    fields.map((f) => f[0]),
    ['Buy', 'When', 'Stop', 'Else', 'Money', 'Sample', 'Order', 'Then', 'Size', 'Bankroll'],
  )
  for (const [, value] of fields)
    assert.ok(summary.toLowerCase().includes(value.toLowerCase()), `${value}: not in ${summary}`)
  // What was assumed is explained without a pointer.
  await page.locator('dl.f .tag button').first().focus()
  await page.getByRole('tooltip').waitFor()
  await w.close(page)
})

test('Stop before the server has answered; an option that stands in its field counts', async () => {
  const page = await w.open('/runs/' + first.id)
  await shown(page)
  let free
  const held = new Promise((r) => {
    free = r
  })
  const bodies = []
  await page.route('**/ai/backtests', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    bodies.push(route.request().postDataJSON())
    await held
    await route.fulfill({
      status: 202,
      json: { ...first, result: undefined, id: 'run_held', state: 'queued' },
    })
  })
  let state = 'running'
  await page.route('**/ai/backtests/run_held', (route) =>
    route.fulfill({
      json: { ...first, id: 'run_held', state, done: 37, total: 100, headline: null, result: null },
    }),
  )
  await page.route('**/ai/backtests/run_held/events', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 200\n\nevent: state\ndata: {"id":"run_held","state":"${state}"}\n\n`,
    }),
  )
  await page.route('**/ai/backtests/run_held/cancel', (route) => {
    state = 'cancelled'
    return route.fulfill({ json: { ...first, id: 'run_held', state } })
  })
  // An option that stands in its field counts, though the field was not left.
  await page.locator('.opts summary').click()
  await page.getByLabel('Latency').fill('700')
  await w.keys(page, 'Control+Enter', 'Escape')
  free()
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
  assert.deepEqual(
    bodies.map((b) => b.options.latency_ms),
    [700],
  )
  assert.equal(await page.evaluate(() => location.pathname), '/runs/run_held')
  await w.close(page)
})

test('a plan without backtests', async () => {
  const starter = await w.open('/', { key: await w.makeKey('starter') })
  await starter.getByRole('heading', { name: 'Markets' }).waitFor() // where there is something to see
  await starter.getByRole('link', { name: 'Workbench', exact: true }).click()
  await starter.getByRole('heading', { name: 'Your plan has no backtests', level: 1 }).waitFor()
  await starter.fill('#sentence', sentence)
  await starter.getByText('Read whole.').waitFor() // the rules are for every plan
  assert.equal(await starter.locator('.left button.run').isDisabled(), true)
  await w.close(starter)
  // Who comes from elsewhere asked for the workbench.
  const from = await w.open('/markets', { key: await w.makeKey('starter') })
  await from.getByRole('link', { name: 'Workbench', exact: true }).click()
  await from.getByRole('heading', { name: 'Your plan has no backtests', level: 1 }).waitFor()
  await w.close(from)
})

test('all runs as JSON lines: each as the API has it, past the limit of the key and whatever the filter', async () => {
  let refused = 0
  const page = await w.open('/runs', {
    before: (p) =>
      p.route(/\/ai\/backtests(\?limit=1000.*|\/\w+)$/, async (route) => {
        const url = new URL(route.request().url())
        if (!url.search && refused++ === 0)
          return route.fulfill({
            status: 429,
            headers: { 'Retry-After': '1' },
            json: { error: 'rate_limited', message: 'too many requests' },
          })
        if (!url.search) return route.continue()
        url.searchParams.set('limit', '2') // several pages
        return route.continue({ url: url.href })
      }),
  })
  await page.locator('a.t').first().waitFor()
  await page.fill('input[type=search]', '30 cents')
  const all = (await w.api('/ai/backtests?limit=1000')).data
  assert.ok(all.length > 2)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Download all/ }).click(),
  ])
  assert.equal(file.suggestedFilename(), 'runs.jsonl')
  const rows = (await readFile(await file.path(), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((l) => JSON.parse(l))
  assert.deepEqual(
    rows.map((r) => r.id),
    all.map((r) => r.id),
  )
  for (const r of rows) assert.deepEqual(r, await w.api('/ai/backtests/' + r.id))
  assert.ok(refused > 0)
  await w.close(page)
})

test('neighbours: a grid of two numbers, told as the API has it; a cell rewrites the sentence', async () => {
  const page = await w.open('/runs/' + first.id)
  await shown(page)
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Try 25 variants over 100 markets' }).click()
  await page.locator('.grid8').waitFor()
  const id = new URL(page.url()).searchParams.get('sweep')
  const { result } = await w.api('/ai/sweeps/' + id)
  const { axes, variants, cells, own } = result.sweep
  assert.deepEqual(
    axes.map((a) => a.field),
    ['entry.0.threshold', 'exit.take_profit'],
  )
  const drawnCells = await page
    .locator('.grid8 tbody td')
    .evaluateAll((list) =>
      list.map((e) => ({ look: e.className, text: e.textContent, title: e.firstChild.title })),
    )
  assert.equal(drawnCells.length, cells.length)
  const kinds = new Set()
  drawnCells.forEach((d, i) => {
    const v = variants.find((x) => x.number === cells[i])
    const values = [
      axes[0].values[Math.floor(i / axes[1].values.length)],
      axes[1].values[i % axes[1].values.length],
    ]
    const sure = v?.eligible && v.verdict !== 'no_edge'
    const look = !v ? 'void' : !v.eligible ? 'pale' : v.mean_pnl < 0 ? 'neg' : 'pos'
    kinds.add(look)
    const mine = values[0] === own.values[0] && values[1] === own.values[1]
    assert.equal(d.look, look + (mine ? ' cur' : ''))
    const mark = v?.survives ? ' ◆' : sure ? ' •' : ''
    assert.equal(d.text.match(/( [•◆])?$/)[0], mark, d.title)
    if (!v) return assert.match(d.title, /no valid strategy: /)
    assert.ok(
      Math.abs(Number(d.text.replace(mark, '').replace('−', '-')) - v.mean_pnl) <= 0.005 + 1e-9,
      d.title,
    )
    assert.ok(d.title.includes(`${v.trades} trades`))
  })
  assert.ok(kinds.has('pale') && kinds.has('neg') && kinds.has('void'), [...kinds].join(' '))
  assert.equal(await page.locator('.grid8 .cur').count(), 1)
  const told = await page.locator('main').textContent()
  assert.match(
    told,
    new RegExp(
      `the best of ${result.sweep.tried} \\(about \\d+ independent tr(y|ies)\\) would be expected to make about`,
    ),
  )
  assert.match(told, /variants? survives?: /)
  // From the sentence's own cell one to the right, and one up.
  await page.locator('.grid8 .cur button').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  const to = sentence.replace('35 cents', '30 cents').replace('55c', '60c')
  await page.waitForFunction((text) => document.querySelector('#sentence')?.value === text, to)
  assert.equal(new URL(page.url()).pathname, '/runs/' + first.id)
  await page.goBack()
  await page.locator('.grid8').waitFor() // kept: nothing is replayed again
  await page.locator('.grid8 .cur button').focus()
  await page.keyboard.press('Escape')
  await verdict(page).waitFor()
  await w.close(page)
})

test('two addresses, back and forward; a run that was deleted meanwhile', async () => {
  const gone = await w.ran(another)
  const page = await w.open('/runs/' + first.id)
  await verdict(page).waitFor()
  await page.evaluate((to) => {
    const a = document.createElement('a')
    a.href = to
    document.body.append(a)
    a.click()
  }, '/runs/' + gone.id)
  await page.waitForFunction(
    (id) => document.querySelector('.meta')?.textContent.includes(id),
    gone.id.slice(4, 12),
  )
  await page.goBack()
  await page.waitForFunction(
    (id) => document.querySelector('.meta')?.textContent.includes(id),
    first.id.slice(4, 12),
  )
  await w.api('/ai/backtests/' + gone.id, { method: 'DELETE' })
  await page.goForward()
  await page.getByRole('heading', { name: 'No such run' }).waitFor()
  await w.close(page)
})

test('orders that rest: three rules with their curves, and the life of each order', async () => {
  const run = await w.ran(
    'Bid 45c on Up and 45c on Down from the open on BTC 15m and merge, last 40 markets',
  )
  const { queue, trades, options } = run.result.report
  const page = await w.open('/runs/' + run.id)
  const three = page.locator('.rules dl > div')
  await three.first().waitFor()
  assert.equal(options.queue, 'through')
  for (const [i, rule] of ['through', 'back', 'front'].entries()) {
    const text = await three.nth(i).textContent()
    assert.ok(text.startsWith(rule), text)
    const cents = Math.abs(queue[rule].total_pnl).toFixed(2)
    assert.ok(text.replaceAll(',', '').includes('$' + cents), `${text}: expected ${cents}`)
    assert.equal(queue[rule].equity_curve.length, queue[rule].trades)
    assert.equal(await page.locator('.curves path.line.' + rule).count(), 1)
  }
  // A round whose tokens were both bought and given back in pairs: no price to sell at.
  const n = trades.findIndex((t) => t.exit_price === null) + 1
  assert.ok(n > 0, 'no round was merged whole')
  await page.locator(`#trades tr[data-n="${n}"]`).click()
  await page.locator('.life').first().waitFor()
  await shown(page)
  const x = await w.api(`/ai/backtests/${run.id}/trades/${n}`)
  assert.equal(await page.locator('.life').count(), x.resting.through.length)
  await page.getByText('pairs for $1 each').waitFor()
  const life = await page.locator('.life').first().textContent()
  const ahead = x.resting.through[0].ahead
  assert.ok(life.includes(`queue ahead ${ahead === null ? 'not shown' : ''}`), life)
  const front = page.getByRole('button', { name: 'front', exact: true })
  await front.click()
  assert.equal(await front.getAttribute('aria-pressed'), 'true')
  assert.equal(await page.locator('.life').count(), x.resting.front.length)
  assert.ok(!(await page.textContent('body')).includes('NaN'))
  await w.close(page)
})

test('a shared run: read-only, nothing of its owner; withdrawn it leads nowhere', async () => {
  const { token } = await w.api(`/ai/backtests/${first.id}/share`, { method: 'POST' })
  const page = await w.open('/r/' + token, { key: null })
  await verdict(page).waitFor()
  const text = await page.evaluate(() => document.documentElement.outerHTML)
  assert.ok(!text.includes(first.id) && !/organization|>local/.test(text))
  assert.equal(await page.locator('textarea').count(), 0)
  assert.match(
    await page.locator('.of').textContent(),
    /250 ms latency · .* · venue fees · official/,
  )
  assert.match(
    await page.locator('header').textContent(),
    /Ladderback.*order books that were really/,
  )
  await shown(page)
  await page.getByLabel('Next trade').click()
  await page.getByText('Trade 2 of').waitFor()
  await page.locator('.walk table tr.tk').first().waitFor()
  await shown(page)
  const answer = await fetch(`${w.base}/r/${token}`, { headers: { Accept: 'text/html' } })
  assert.equal(answer.headers.get('x-robots-tag'), 'noindex')
  await w.api(`/ai/backtests/${first.id}/share`, { method: 'DELETE' })
  await page.reload()
  await page.getByRole('heading', { name: 'This link leads nowhere' }).waitFor()
  await w.close(page)
  assert.ok(!w.log.includes(token), 'the token of the link is in the log')
})

// heldYears is an archive of more than a year, with holes and days without a capture.
const heldYears = () => {
  const days = []
  for (let at = Date.UTC(2025, 10, 20), i = 0; at < Date.UTC(2027, 0, 3); at += 86_400_000, i++) {
    if (i % 37 === 5) continue
    const captured = i % 23 === 7 ? 0 : 288
    days.push({
      day: new Date(at).toISOString().slice(0, 10),
      markets: 288,
      resolved: 280,
      captured,
      captures: captured * 1000,
      coverage: captured ? (i % 100) / 99 : 0,
    })
  }
  const sum = (key) => days.reduce((s, d) => s + d[key], 0)
  return {
    category: 'crypto',
    watermark: '2027-01-02T23:59:58.5Z',
    markets: sum('markets'),
    resolved: sum('resolved'),
    captured: sum('captured'),
    captures: sum('captures'),
    first_day: days[0].day,
    last_day: days.at(-1).day,
    simulated: false,
    days,
  }
}
const holding = (data) => (p) =>
  p.route('**/app/v1/archive', (route) => route.fulfill({ json: { count: data.length, data } }))

test('the session counts on the page alone, and only from it', async () => {
  const context = await w.browser.newContext()
  assert.ok((await context.request.post(w.base + '/app/session', { data: { key: w.key } })).ok())
  assert.equal((await context.request.get(w.base + '/v1/markets')).status(), 401)
  assert.equal((await context.request.get(w.base + '/app/v1/markets')).status(), 200)
  const crossed = await context.request.post(w.base + '/app/v1/ai/parse', {
    data: { prompt: sentence },
    headers: { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' },
  })
  assert.equal(crossed.status(), 403)
  await context.close()
})

// screens are the addresses of every screen, who looks, what is there when it is ready, and what goes before.
async function screens() {
  const { token } = await w.api(`/ai/backtests/${second.id}/share`, { method: 'POST' })
  const slug = first.result.report.trades[0].market_slug
  const sweep = await w.api('/ai/sweeps', {
    method: 'POST',
    body: JSON.stringify({
      prompt: first.prompt,
      vary: [
        { field: 'entry.0.threshold', values: [0.25, 0.3, 0.35, 0.4, 0.45] },
        { field: 'exit.take_profit', values: [0.45, 0.5, 0.55, 0.6, 0.65] },
      ],
    }),
  })
  assert.equal((await w.ended('/ai/sweeps/' + sweep.id)).state, 'done')
  return [
    ['/runs/' + first.id, w.key, 'canvas[data-drawn]'],
    ['/runs/' + none.id, w.key, '#verdict'],
    ['/runs', w.key, 'a.t'],
    [`/runs/${first.id}/neighbours?sweep=${sweep.id}`, w.key, '.grid8'],
    [`/runs/${first.id}/compare/${second.id}`, w.key, 'del'],
    ['/markets', w.key, 'a.t'],
    ['/markets/' + slug, w.key, '.panel'],
    ['/archive', w.key, '.cal [role].cap'],
    ['/archive', w.key, '.cal [role].none', holding([heldYears()])],
    ['/r/' + token, null, '#verdict'],
    ['/docs', null, '#list details'],
    ['/nowhere', w.key, 'h1'],
    ['/', null, '#key'],
  ]
}

test('every screen without a finding of axe, at every width, light and dark, and nothing sticks out', async () => {
  const findings = []
  const every = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']
  for (const [path, key, ready, before] of await screens()) {
    const page = await w.open(path, {
      key,
      width: 768,
      before: async (p) => {
        await p.addInitScript(axe)
        await before?.(p)
      },
    })
    await page.waitForSelector(ready)
    // The dark colours are others, and nothing else is; at 768 are the same rules as at 360.
    for (const [scheme, width, rules] of axeLooks?.map((l) => [...l, every]) ?? [
      ['light', 768],
      ['light', 360, every],
      ['light', 1440, every],
      ['dark', 1440, ['color-contrast']],
    ]) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await drawn(page)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      if (wide > width) findings.push(`${path} is ${wide} wide on ${width}`)
      if (!rules || (path.startsWith('/r/') && width === 360)) continue // the run stands on its own page already
      // The ten thousand parts of the list of routes have one row's colours at any width.
      const enabled = path !== '/docs' || width !== 360 || Boolean(axeLooks)
      const found = await page.evaluate(
        (options) => globalThis.axe.run(document, { ...options, resultTypes: ['violations'] }),
        { runOnly: rules, rules: { 'color-contrast': { enabled } } },
      )
      for (const v of found.violations)
        findings.push(
          `${path}, ${width}, ${scheme}: ${v.id}: ${v.nodes
            .map((n) => n.target.join(' '))
            .slice(0, 3)
            .join(', ')}`,
        )
    }
    await w.close(page)
  }
  assert.deepEqual(findings, [])
})

test('text at twice its size: nothing is cut off, lies over another, or is out of reach', async () => {
  const findings = []
  for (const [path, key, ready, before] of await screens()) {
    for (const width of [1440, 390]) {
      const page = await w.open(path, { key, width, height: 844, before })
      await page.waitForSelector(ready)
      await page.evaluate(enlarge)
      let found
      for (let frames = 0; frames < 30 && found?.length !== 0; frames++) {
        // pictures are drawn anew in the next ones
        await drawn(page)
        found = await page.evaluate(crowded)
      }
      findings.push(...found.map((f) => `${path}, ${width}: ${f}`))
      await w.close(page)
    }
  }
  assert.deepEqual(findings, [])
})

test('a trade that is chosen is seen: beside its book, or by going there', async () => {
  const inSight = (page) =>
    page.waitForFunction(() => {
      const b = document.querySelector('#trade .cv')?.getBoundingClientRect()
      return b && b.top >= -1 && b.bottom <= innerHeight + 1
    })
  for (const width of [390, 1100]) {
    const page = await w.open('/runs/' + first.id, { width, height: 844 })
    await shown(page)
    await page.locator('#trades tr[data-n="5"]').scrollIntoViewIfNeeded()
    await page.locator('#trades tr[data-n="5"] td').nth(1).click()
    await page.getByText('Trade 5 of').waitFor()
    await inSight(page)
    await w.close(page)
  }
  const page = await w.open('/runs/' + first.id, { width: 1280, height: 900 })
  await shown(page)
  const [list, book] = await Promise.all(
    ['.trades', '#trade'].map((s) => page.locator(s).boundingBox()),
  )
  assert.ok(Math.abs(list.y - book.y) < 4 && list.x + list.width <= book.x, 'side by side')
  await w.close(page)
})

test('the list of trades shows that there is more', async () => {
  const page = await w.open('/runs/' + first.id)
  await shown(page)
  const cut = await page.locator('.trades .scroll').evaluate((box) => {
    const bottom = box.getBoundingClientRect().bottom
    const rows = [...box.querySelectorAll('tr[data-n]')].map((r) => r.getBoundingClientRect())
    const row = rows.find((r) => r.top < bottom && r.bottom > bottom)
    return row ? (bottom - row.top) / row.height : 0
  })
  assert.ok(cut > 0.2 && cut < 0.8, `${cut} of a row is in sight`)
  await w.close(page)
})

test('market, trade and run lead to each other', async () => {
  const page = await w.open('/runs/' + first.id + '#trade=2')
  await page.getByText('Trade 2 of').waitFor()
  await page.locator('#trade h2 a').click()
  await page.getByRole('link', { name: 'Back to trade 2 of the run' }).waitFor()
  assert.ok(page.url().includes(first.result.report.trades[1].market_slug))
  await page.getByRole('link', { name: 'Runs over rounds like this one' }).click()
  await page.locator('a.t').first().waitFor()
  assert.equal(await page.getByLabel('Coin').inputValue(), 'BTC')
  await page.goBack()
  await page.getByRole('link', { name: 'Back to trade 2 of the run' }).click()
  await page.getByText('Trade 2 of').waitFor()
  await w.close(page)
})

test('a phone: the verdict is in sight after Run, the fields are one line, everything is in the menu', async () => {
  const page = await w.open('/', { width: 390, height: 844, touch: true })
  await settled(page)
  await page.fill('#sentence', sentence.replace('35 cents', '33 cents'))
  await page.locator('.under mark').filter({ hasText: '33 cents' }).waitFor()
  assert.equal(await page.locator('dl.f').isVisible(), true)
  await page.locator('.dock button.run').click()
  await verdict(page).waitFor()
  await page.waitForFunction(() => {
    const b = document.querySelector('#verdict')?.getBoundingClientRect()
    return b && !document.querySelector('.progress') && b.top >= 0 && b.bottom < 844 * 0.6
  })
  assert.equal(await page.locator('dl.f').isVisible(), false)
  assert.equal(await page.locator('kbd:visible').count(), 0) // no keys for fingers
  const small = await page.evaluate(() =>
    [...document.querySelectorAll('button, a.button, select, input, nav a, summary')]
      .filter((e) => e.offsetParent && e.type !== 'checkbox' && !e.closest('#trades, .sr'))
      .map((e) => [e.textContent, e.getBoundingClientRect().height])
      .filter(([, h]) => h < 39.5),
  )
  assert.deepEqual(small, [])
  // A name that is too long for its line ends in an ellipsis, which a flex box has none of.
  const tries = await page
    .locator('.hist .t')
    .evaluateAll((all) => all.map((e) => getComputedStyle(e).display))
  assert.ok(tries.length && tries.every((d) => d === 'block'), String(tries))
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByText('local · plan').waitFor()
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll('#trades tr[data-n], [role=option]')].map((e) => e.offsetHeight),
  )
  assert.ok(rows.length > 20 && rows.every((h) => h >= 40), String(rows))
  // The last rows are reached: those that are not in the document are as high as those that are.
  const high = await page.evaluate(() => {
    const table = document.querySelector('.trades table').offsetHeight
    const all = Number(/of (\d+)/.exec(document.querySelector('#trade h2').textContent)[1])
    return table - document.querySelector('.trades thead').offsetHeight - all * 40
  })
  assert.ok(Math.abs(high) <= 2, String(high))
  await page.getByRole('option', { name: 'Sign out' }).click()
  await page.locator('#key').waitFor()
  await w.close(page)
})

test('a comparison is in words, also on a phone', async () => {
  const phone = await w.open(`/runs/${first.id}/compare/${second.id}`, { width: 390 })
  await phone.locator('table.stack [data-of=B]').first().waitFor()
  const b = await phone.locator('table.stack [data-of=B]').first().boundingBox()
  assert.ok(b.width > 300, `column B is ${b.width} wide`)
  const text = await phone.locator('main').textContent()
  assert.doesNotMatch(text, /entry\[|threshold|absent|\{"|-updown-|\d\.\d{5}/)
  await w.close(phone)
})

test('before the script there is a header and a skeleton; colours can be chosen', async () => {
  const bare = await w.open('/', { script: false })
  assert.equal(await bare.locator('#skeleton .brand').count(), 1)
  assert.equal(
    await bare
      .locator('link[rel=icon]')
      .getAttribute('href')
      .then((h) => /icon-\w+\.svg$/.test(h)),
    true,
  )
  await bare.context().close()
  const page = await w.open('/runs')
  await page.locator('a.t').first().waitFor()
  assert.equal(await page.locator('#skeleton').count(), 0)
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await paper()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('colours: dark')
  await page.keyboard.press('Enter')
  assert.notEqual(await paper(), light)
  await page.reload()
  await page.locator('a.t').first().waitFor()
  assert.notEqual(await paper(), light)
  await w.close(page)
})

test('a fresh load asks for nothing that is refused, signed in or not', async () => {
  for (const key of [null, undefined]) {
    const refused = []
    const page = await w.open('/', {
      ...(key === null && { key }),
      before: (p) =>
        p.on('response', (r) => r.status() >= 400 && refused.push(`${r.status()} ${r.url()}`)),
    })
    await page.locator(key === null ? '#key' : '#sentence').waitFor()
    if (key !== null) await settled(page)
    assert.deepEqual(refused, [])
    await w.close(page)
  }
})

test('at 1280 and 1440: seven numbers in a row, Run in sight with the options open, whole words', async () => {
  for (const width of [1280, 1440]) {
    const page = await w.open('/runs/' + first.id, { width, height: 900 })
    await shown(page)
    const tops = await page.$$eval('.nums.seven > div', (l) =>
      l.map((d) => Math.round(d.getBoundingClientRect().top)),
    )
    assert.deepEqual(tops, Array(7).fill(tops[0]))
    await page.fill('#sentence', sentence.replace('35 cents', '35 cents and spread below 5 cents'))
    await page.locator('.under mark').filter({ hasText: 'spread below 5 cents' }).waitFor()
    const tags = await page.$$eval('dl.f .tag', (l) =>
      l.map((t) => t.getBoundingClientRect().height / parseFloat(getComputedStyle(t).lineHeight)),
    )
    assert.ok(tags.length > 0 && tags.every((lines) => lines < 2), `${tags} lines`)
    await page.locator('.opts summary').click()
    assert.equal(await page.getByLabel('Stale after').inputValue(), '30')
    const cut = await page.$$eval('.opts input', (l) =>
      l.filter((i) => i.scrollWidth > i.clientWidth).map((i) => i.value),
    )
    assert.deepEqual(cut, [])
    const run = await page.locator('.left button.run').boundingBox()
    assert.ok(run.y + run.height <= 900, `Run ends at ${run.y + run.height}`)
    await w.close(page)
  }
})

test('on paper: the run alone, with every trade', async () => {
  const page = await w.open('/runs/' + first.id)
  await shown(page)
  await page.emulateMedia({ media: 'print' })
  await page.waitForFunction(
    (n) => document.querySelectorAll('#trades tr[data-n]').length === n,
    first.result.report.trades.length,
  )
  for (const s of ['nav', '.left', '.dock', '.acts', '#trade'])
    assert.equal(await page.locator(s).first().isVisible(), false, s)
  assert.equal(await page.locator('.of .said').isVisible(), true)
  const cut = await page
    .locator('.scroll')
    .evaluateAll((all) =>
      all.filter((e) => e.scrollHeight > e.clientHeight).map((e) => e.ariaLabel ?? e.className),
    )
  assert.deepEqual(cut, [], 'rows are cut off, or lie over what follows')
  await w.close(page)
})

test('an address that is none: a page for people, JSON for programs', async () => {
  const page = await w.open('/nowhere')
  await page.getByRole('heading', { name: 'No such page' }).waitFor()
  await w.close(page)
  assert.equal(
    (await fetch(w.base + '/nowhere', { headers: { Accept: '*/*' } })).headers
      .get('content-type')
      .split(';')[0],
    'application/json',
  )
})

test('a link that is shared brings a title, the verdict and a picture', async () => {
  const { token } = await w.api(`/ai/backtests/${second.id}/share`, { method: 'POST' })
  const page = await w.open('/r/' + token, { key: null })
  const meta = (name) => page.locator(`meta[property="og:${name}"]`).getAttribute('content')
  assert.equal(await meta('title'), `${second.words.verdict}: ${second.prompt}`)
  assert.equal(await meta('description'), second.words.headline)
  const picture = await meta('image')
  assert.equal(picture, `${w.base}/r/${token}/preview.png`)
  const size = await page.evaluate(async (at) => {
    const i = new Image()
    i.src = at
    await i.decode()
    return [i.naturalWidth, i.naturalHeight]
  }, picture)
  assert.deepEqual(size, [1200, 630])
  await w.close(page)
})

test('numbers have commas, words have round quotes', async () => {
  const page = await w.open('/runs/' + first.id)
  await shown(page)
  const text = await page.evaluate(() => document.querySelector('main').innerText)
  // Hashes, dates and prices aside, no number of four digits goes without its comma.
  const bare = text
    .split(/\s+/)
    .filter((word) => /^[−+$]*\d{4,}(\.\d+)?[,;.)]*$/.test(word) && !/^20\d\d$/.test(word))
  assert.deepEqual(bare, [])
  assert.doesNotMatch(text, /--\w/) // no flags of a terminal
  assert.ok(!/"|\w's\b.*Up's/.test(text), text.match(/.{0,30}".{0,30}/)?.[0])
  await w.close(page)
})

test('bids and asks of the book differ in lightness, day and night, and by their names', async () => {
  for (const scheme of ['light', 'dark']) {
    const page = await w.open('/runs/' + first.id, {
      scheme,
      before: (p) =>
        p.addInitScript(() => {
          window.named = {}
          const { fillText } = CanvasRenderingContext2D.prototype
          CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            window.named[text] = y
            return fillText.call(this, text, x, y)
          }
        }),
    })
    await shown(page)
    const named = await page.evaluate(() => window.named)
    assert.ok(named.asks < named.bids, JSON.stringify(named))
    const ratio = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'))
      const light = (name) => {
        probe.style.color = `var(${name})`
        const [r, g, b] = getComputedStyle(probe)
          .color.match(/\d+/g)
          .map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
      }
      const [a, b] = [light('--bid'), light('--ask')]
      return Math.max(a, b) / Math.min(a, b)
    })
    assert.ok(ratio >= 1.5, `${scheme}: ${ratio}`)
    await w.close(page)
  }
})

test('times: key-up to underlined, first paint, heat map', async (t) => {
  const page = await w.open('/runs/' + first.id)
  await shown(page)
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0].startTime,
  )
  const times = []
  for (let i = 0; i < 7; i++) {
    await page.fill('#sentence', 'Buy Up on BTC 15m below 3')
    // The next reading is to be asked at once: the last one is over, and as long ago as the page waits between two.
    await page.waitForFunction(() => {
      const marks = [...document.querySelectorAll('.under mark')].map((m) => m.textContent)
      const last = performance
        .getEntriesByType('resource')
        .filter((e) => e.name.endsWith('/ai/parse'))
        .at(-1)
      return (
        marks.includes('Buy Up') &&
        !marks.some((m) => m.includes('35c')) &&
        last &&
        performance.now() - last.responseEnd > 150
      )
    })
    times.push(
      await page.evaluate(
        () =>
          new Promise((done) => {
            const area = document.querySelector('#sentence')
            const from = performance.now()
            new MutationObserver((_, o) => {
              if (
                [...document.querySelectorAll('.under mark')].some((m) =>
                  m.textContent.includes('35c'),
                )
              ) {
                o.disconnect()
                requestAnimationFrame(() => done(performance.now() - from))
              }
            }).observe(document.querySelector('.under'), {
              childList: true,
              subtree: true,
              characterData: true,
            })
            area.value = 'Buy Up on BTC 15m below 35c'
            area.dispatchEvent(new InputEvent('input', { bubbles: true }))
          }),
      ),
    )
  }
  const heat = []
  for (let n = 2; n <= 8; n++) {
    heat.push(
      await page.evaluate(
        () =>
          new Promise((done) => {
            const from = performance.now()
            new MutationObserver((_, o) => {
              const c = document.querySelector('canvas[data-drawn]')
              if (c) {
                o.disconnect()
                done(performance.now() - from)
              }
            }).observe(document.querySelector('#trade'), {
              attributes: true,
              childList: true,
              subtree: true,
            })
            document.querySelector('canvas').removeAttribute('data-drawn')
            document.querySelector('[aria-label="Next trade"]').click()
          }),
      ),
    )
  }
  const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
  t.diagnostic(
    `key-up to underlined ${middle(times).toFixed(0)} ms, first paint ${paint.toFixed(0)} ms, heat map ${middle(heat).toFixed(0)} ms (medians)`,
  )
  await w.close(page)
})
