import { now, set } from './bench'
import { Workbench } from './workbench'
import {
  all,
  asked,
  document,
  does,
  field,
  held,
  key,
  one,
  passes,
  press,
  put,
  serve,
  show,
  streams,
  text,
} from '../test/dom.mjs'
import { page, parsed, prompt, refusal, report, run, words } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const runs = '/app/v1/ai/backtests'
/** opened shows the workbench at the address of a run, or at that of none. */
async function opened(id, answers = {}) {
  history.replaceState(null, '', id ? '/runs/' + id : '/')
  serve({
    'GET /*': refusal(503, 'away'),
    [`GET ${runs}?*`]: page([]),
    [`GET ${runs}/run_1`]: run(),
    'POST /app/v1/ai/parse': (sent) => parsed(sent.body.prompt),
    ...answers,
  })
  await show(<Workbench id={id} />)
  await passes(100)
}

test('workbench: a run with its sentence, its verdict and its trades', async () => {
  await opened('run_1')
  assert.equal(field('Strategy, in plain English').value, prompt)
  assert.equal(text('#verdict'), 'No edge')
  assert.equal(document.title, 'No edge · Ladderback')
  assert.match(text('main > [role=status]'), /^No edge\. The mean of/) // for who does not see
  assert.equal(all('#trades tr[data-n]').length, 3)
  assert.equal(one('.left button.run').disabled, false)
})

test('workbench: nothing run yet', async () => {
  await opened('')
  assert.match(text('.empty'), /^What would it have earned\?.*Nothing has been run yet\./)
  assert.equal(document.title, 'Ladderback')
})

test('workbench: the run before stays, greyed, while another runs; stopped', async () => {
  let state = 'running'
  const more = () => run('run_2', { state, done: 37, total: 1000, headline: null, result: null })
  await opened('run_1', {
    [`POST ${runs}`]: () => [202, more()],
    [`GET ${runs}/run_2`]: more,
    [`POST ${runs}/run_2/cancel`]: {},
  })
  await press(one('.left button.run'))
  const [stream] = streams
  await stream.says('state', { state })
  await stream.says('progress', { phase: 'strategy', done: 37, total: 1000 })
  assert.match(text('.progress'), /^Strategy: 37 of 1,000 rounds/)
  assert.equal(document.title, 'Running · Ladderback')
  assert.equal(all('article.stale').length, 1)
  await press(all('.progress button')[0])
  assert.ok(asked.some((a) => a.name === `POST ${runs}/run_2/cancel`))
  state = 'cancelled'
  await stream.says('state', { state })
  assert.match(text('#verdict'), /^Cancelled$/)
  assert.match(text(), /Stopped after 37 of 1,000 rounds; nothing of it is kept but the sentence\./)
})

test('workbench: a run that failed is tried again, once; one that knows no second try is not', async () => {
  let state = 'failed'
  const failed = () => ({
    ...run('run_1', { state, cached: false, error: 'the archive <was> away' }),
    ...(state === 'failed' && { result: null, headline: null }),
  })
  const late = held()
  await opened('run_1', {
    [`GET ${runs}/run_1`]: failed,
    [`POST ${runs}/run_1/retry`]: () => late.answer,
  })
  assert.equal(text('#verdict'), 'Failed')
  assert.match(text('.empty'), /the archive <was> away/)
  await press('Try again')
  await press('Try again')
  assert.equal(asked.filter((a) => a.name.endsWith('/retry')).length, 1)
  await late.free([202, { ...failed(), state: 'queued' }])
  state = 'done'
  await streams[0].says('state', { state })
  await passes(10)
  assert.equal(text('#verdict'), 'No edge')
  set({ run: run('run_9', { state: 'failed', error: null, result: null }) })
  await show(<Workbench key="old" id="run_9" />)
  assert.match(text('.empty'), /The run ended with an error\./)
  assert.equal(all('.empty button').filter((b) => b.textContent === 'Try again').length, 0)
})

test('workbench: it says when another sentence stands there, and leads back', async () => {
  await opened('run_1', { [`POST ${runs}`]: refusal(503, 'away') })
  assert.equal(all('.other').length, 0)
  await put('Strategy, in plain English', prompt + ' now')
  assert.match(text('.other'), /^Result of another sentence/)
  assert.equal(text('.of .said'), prompt)
  await press('Back to this one')
  assert.equal(all('.other').length, 0)
  assert.equal(now().prompt, prompt)
  await put('Stale after', '20') // other options are another run as well
  await press('Run it')
  assert.equal(asked.at(-1).body.options.stale_ms, 20_000)
  assert.equal(text('[role=alert]'), 'Not available at the moment. away')
})

test('workbench: a warning offers the replay that does without it', async () => {
  const remedies = [{ label: 'Leave out', options: { min_coverage: 0.9 } }]
  const warned = words({ warnings: [{ code: 'x', head: 'Holes.', text: '', remedies }] })
  await opened('run_1', {
    [`GET ${runs}/run_1`]: run('run_1', { words: warned }),
    [`POST ${runs}`]: refusal(503, ''),
  })
  await press('Leave out')
  assert.deepEqual(
    [asked.at(-1).body.prompt, asked.at(-1).body.options.min_coverage],
    [prompt, 0.9],
  )
})

test('workbench: a plan without backtests, and a run that is not there', async () => {
  await opened('', { [`GET ${runs}?*`]: refusal(403, 'no', { error: 'plan_required' }) })
  await show(<Workbench id="" />)
  assert.match(text('.empty'), /^Your plan has no backtests/)
  assert.equal(all('.problem').length, 0)
  set({ problem: undefined })
  await opened('run_5', { [`GET ${runs}/run_5`]: refusal(404, 'no') })
  await show(<Workbench key="5" id="run_5" />)
  await passes(10)
  assert.match(text('.empty'), /^No such run/)
})

test('workbench: what lies folded is asked for when it is opened', async () => {
  await opened('run_1')
  const tries = '/app/v1/ai/tries?coin=BTC&market_type=15m'
  assert.ok(!asked.some((a) => a.name.includes('tries?')))
  serve({ ['GET ' + tries]: { families: [], tries: [], resets: [], lockboxes: [] } })
  const fold = all('details.later').find((d) => d.textContent.startsWith('What was tried'))
  await does(() => {
    fold.open = true
    fold.dispatchEvent(new Event('toggle'))
  })
  await passes(10)
  assert.match(text('.record'), /^0 tries on BTC 15m/)
})

test('workbench: from one run to another, by its address', async () => {
  await opened('run_1', {
    [`GET ${runs}/run_2`]: run('run_2', {
      prompt: 'Buy Down',
      result: { prompt: 'Buy Down', report: report([]) },
    }),
  })
  await show(<Workbench id="run_2" />)
  await passes(10)
  assert.equal(text('.of .said'), 'Buy Down')
  await key('Escape')
  assert.equal(one('textarea').value, 'Buy Down')
})
