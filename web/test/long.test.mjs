// A run of 2,000 rounds, or of $LADDERBACK_ROUNDS, streams in. How long the page is at work at a
// stretch is measured (50 ms is the aim), not asserted: it differs by machine.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { World } from './world.mjs'

const rounds = Number(process.env.LADDERBACK_ROUNDS ?? 2000)
let w
before(async () => {
  w = await World.begin(async (w) => {
    const archive = join(w.dir, 'many.db')
    const asked = `simulate -q --markets ${rounds} --types 5m --rate 0.05 --ladder 6 --archive`
    execFileSync(process.env.LADDERBACK_BIN, [...asked.split(' '), archive], { stdio: 'ignore' })
    w.args = ['--archive', archive]
  })
})
after(() => w?.end())

/** worked lists the tasks of the page's own thread in a trace by the time that it was at work in each, in milliseconds, longest first: what else the machine does is not in it. */
function worked(trace) {
  const { traceEvents } = JSON.parse(trace.toString())
  const main = new Set(
    traceEvents
      .filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain')
      .map((e) => `${e.pid} ${e.tid}`),
  )
  return traceEvents
    .filter((e) => e.name.endsWith('RunTask') && e.tdur && main.has(`${e.pid} ${e.tid}`))
    .map((e) => e.tdur / 1000)
    .sort((a, b) => b - a)
}

/** ran runs a sentence on a page of its own, and tells the longest tasks of it as it came, in milliseconds. */
async function ran(t, cents) {
  const page = await w.open('/')
  await page.locator('.examples, #verdict').waitFor()
  await page.fill(
    '#sentence',
    `Buy Up on BTC 5m when Up drops below ${cents} cents, take profit at 60c, $50 per trade, last ${rounds} markets`,
  )
  await page
    .locator('.under mark')
    .filter({ hasText: `${cents} cents` })
    .waitFor()
  await w.browser.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'],
  })
  await page.keyboard.press('Control+Enter')
  await page
    .getByText(new RegExp(`(Strategy|Baseline): .* of ${rounds.toLocaleString('en')} rounds`))
    .waitFor()
  await page.locator('.progress').waitFor({ state: 'detached' })
  await page.locator('canvas[data-drawn]').waitFor()
  await page.locator('#trades tr[data-n="2"]').waitFor()
  const tasks = worked(await w.browser.stopTracing())
  assert.ok(tasks.length > 100, 'the trace has no tasks')
  assert.match(await page.locator('.of .said').textContent(), new RegExp(`${cents} cents`))
  t.diagnostic(
    `${rounds} rounds: ${tasks.length} tasks, the longest at work ${tasks
      .slice(0, 4)
      .map((ms) => ms.toFixed(0))
      .join(', ')} ms; ${await page.locator('.trades small').first().textContent()}`,
  )
  await w.close(page)
}

test('a run of thousands of rounds comes; its longest tasks are told', async (t) => {
  await ran(t, 45)
  await ran(t, 44) // in the place of the first
})
