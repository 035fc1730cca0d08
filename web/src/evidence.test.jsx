import { ofRun } from './api'
import { Evidence } from './evidence'
import { all, buttons, one, passes, press, serve, show, text, texts } from '../test/dom.mjs'
import { refusal, report, run, words } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const prompt = 'Buy Up <b>on</b> BTC'
const body = (pnl, more = {}) => ({ prompt, report: report(pnl, more) })
const told = []
const evidence = (more = {}) => (
  <Evidence
    body={body([5, -3, 1])}
    words={words({ why: 'Too few.', warnings: run().words.warnings })}
    from={ofRun('run_1')}
    meta={<p class="meta">meta</p>}
    chosen={1}
    choose={(n) => told.push(n)}
    stale={false}
    {...more}
  />
)
const drawn = async (what) => {
  await show(what)
  await passes(100)
}

test('evidence: the sentence, what it rests on, the verdict, the numbers, the trades, the receipt', async () => {
  serve({ 'GET /*': refusal(503, 'away') })
  await drawn(evidence())
  assert.equal(text('.of .said'), prompt)
  assert.match(
    text('.of'),
    /250 ms latency · pays up to 0\.05 above the ask · venue fees · official winners$/,
  )
  assert.equal(text('#verdict'), 'No edge')
  assert.equal(text('.why'), 'Too few.')
  for (const part of [
    '.interval',
    '.seven',
    '.funnel',
    '[role=slider]',
    '#trades',
    '#trade',
    '#distribution',
  ])
    assert.equal(all(part).length, 1, part)
  assert.deepEqual(texts('.rc span').slice(1), [
    ...['strategy aaaaaaaa', 'options bbbbbbbb', 'data cccccccc', 'report dddddddd', 'engine 7'],
    ...['return on money staked +3.1%', 'profit factor 1.50'],
  ])
  assert.equal(all('.rc code')[0].title, 'aaaaaaaa11')
  assert.equal(all('.sens, .after, .rules').length, 0) // nobody asked for them
  assert.equal(one('article').getAttribute('aria-busy'), 'false')
})

test('evidence: a trade is chosen in its list and in the curve', async () => {
  told.length = 0
  serve({ 'GET /*': refusal(503, 'away') })
  await drawn(evidence())
  await press('Trade 2')
  await press('Next trade')
  assert.equal(told[0], 2)
  assert.equal(told.at(-1), 2)
  await drawn(evidence({ chosen: 99 })) // the run before had more
  assert.match(text('#trade h2'), /^Trade 3 of 3/)
})

test('evidence: without trades the funnel is the headline, with what may help', async () => {
  const remedies = [{ label: 'Try 500 markets', options: {} }]
  const nothing = ['The rule never held.', 'The lowest price was <40c>.']
  const replayed = []
  await drawn(
    evidence({
      body: body([]),
      words: words({ verdict: 'No trades', nothing, remedies }),
      replay: (r) => replayed.push(r),
    }),
  )
  assert.match(
    text('.verdict'),
    /^No tradesThe rule never held\.The lowest price was <40c>\.Try 500 markets/,
  )
  assert.deepEqual(texts('h2'), ['Where the markets went'])
  assert.equal(all('#trades, [role=slider], .interval, .seven').length, 0)
  assert.equal(all('.rc').length, 1)
  await press('Try 500 markets')
  assert.deepEqual(replayed, remedies)
})

test('evidence: it is greyed while another runs, and where another sentence stands there', async () => {
  serve({ 'GET /*': refusal(503, 'away') })
  await drawn(evidence({ stale: true }))
  assert.equal(one('article').getAttribute('aria-busy'), 'true')
  assert.equal(all('article.stale').length, 1)
  await drawn(evidence({ other: <p class="other">of another</p> }))
  assert.equal(all('article.stale .other').length, 1)
})

test('evidence: warnings, other conditions and what came after the fills, where they are there', async () => {
  serve({ 'GET /*': refusal(503, 'away') })
  const warnings = [
    { code: 'x', head: 'Holes.', text: 'Many.', remedies: [{ label: 'Leave out', options: {} }] },
  ]
  const sensitivity = [{ latency_ms: 250, fees: 'venue', budget: 50, total_pnl: 3 }]
  await drawn(evidence({ words: words({ warnings }), body: body([5, -3, 1], { sensitivity }) }))
  assert.match(text('.warns'), /^Holes\. Many\./)
  assert.ok(!buttons().includes('Leave out')) // nothing can be run here
  assert.equal(all('.sens').length, 1)
})
