import { now, set } from './bench'
import { Neighbours } from './neighbours'
import {
  all,
  asked,
  held,
  key,
  one,
  press,
  put,
  serve,
  show,
  streams,
  text,
  texts,
} from '../test/dom.mjs'
import { page, parsed, prompt, refusal, run } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const phrases = [
  ['when Up drops below 35 cents', 'entry.0'],
  ['take profit at 55c', 'exit.take_profit'],
  ['stop at 20c', 'exit.stop_loss'],
]
const read = (text, more) => parsed(text, phrases, more)
const variant = (number, mean_pnl) => ({
  ...{
    number,
    trades: 40,
    mean_pnl,
    mean_pnl_interval: [mean_pnl - 1, mean_pnl + 1],
    eligible: true,
  },
  ...{ verdict: 'no_edge', survives: false },
})
const axes = [
  { field: 'entry.0.threshold', values: [0.3, 0.35] },
  { field: 'exit.take_profit', values: [0.5, 0.55] },
]
const done = (more = {}) => ({
  ...{ id: 'sweep_1', prompt, axes, state: 'done', done: 100, total: 100, error: null },
  words: {
    verdict: 'No edge among 4',
    why: 'None survives.',
    luck: 'The best of 4 would be expected to make about $1.00.',
    best: 'It made +$2.00.',
    survive: 'No variant survives.',
    plateau: '',
    walk: null,
    counts: '4 tried.',
    blocks: '1 day',
    warnings: [],
  },
  result: {
    sweep: {
      axes,
      variants: [variant(1, 2), variant(2, -1), variant(3, 1), variant(4, 0.5)],
      cells: [1, 2, 3, 4],
      invalid: [],
      own: { values: [0.35, 0.55] },
      best: { values: [0.3, 0.5] },
      tried: 4,
      receipt: { report: 'eeeeeeee55' },
    },
  },
  ...more,
})
const sweeps = '/app/v1/ai/sweeps'
/** opened shows the neighbours of a run; answers beside the usual ones. */
async function opened(answers = {}, sweep = '') {
  history.replaceState(null, '', '/runs/run_1/neighbours')
  serve({
    'GET /app/v1/ai/backtests/run_1': run(),
    'GET /app/v1/ai/backtests?*': page([]),
    'POST /app/v1/ai/parse': (sent) => read(sent.body.prompt),
    [`GET ${sweeps}?limit=100`]: page([]),
    ...answers,
  })
  await show(<Neighbours id="run_1" sweep={sweep} />)
}

test('neighbours: two numbers of the sentence are tried, over its markets', async () => {
  const made = held()
  await opened({ [`POST ${sweeps}`]: () => made.answer })
  assert.equal(text('.said'), prompt)
  await put('Step down, USD', '0.01')
  await put('Number of values across', '3')
  await press('Try 15 variants over 100 markets')
  const { body } = asked.at(-1)
  assert.deepEqual(body.vary, [
    { field: 'entry.0.threshold', values: [0.33, 0.34, 0.35, 0.36, 0.37] },
    { field: 'exit.take_profit', values: [0.5, 0.55, 0.6] },
  ])
  assert.deepEqual([body.sampleSize, body.budget, body.prompt], [100, 50, prompt])
  assert.ok(!('baseline' in body.options) && !('from' in body.options))
  await press('Try 15 variants over 100 markets') // nothing twice
  assert.equal(asked.filter((a) => a.name === `POST ${sweeps}`).length, 1)
  await made.free([202, { ...done(), state: 'queued', result: null, words: undefined, total: 0 }])
  assert.equal(location.search, '?sweep=sweep_1')
  assert.match(text('.progress'), /^Waiting for a place to run/)
})

test('neighbours: running, the connection lost and back, done', async () => {
  let state = 'running'
  await opened(
    {
      [`GET ${sweeps}/sweep_1`]: () =>
        done(state === 'running' ? { state, result: null, done: 0, total: 0 } : {}),
    },
    'sweep_1',
  )
  assert.match(text('.progress'), /^Starting/)
  const [stream] = streams
  assert.equal(stream.url, `${sweeps}/sweep_1/events?result=link`)
  await stream.says('progress', { done: 37, total: 1000 })
  assert.match(text('.progress'), /^37 of 1,000 rounds/)
  stream.readyState = 0
  await stream.breaks()
  assert.match(text('.progress'), /Connection lost; trying again\. The sweep goes on/)
  state = 'done'
  await stream.says('state', { state })
  assert.equal(all('.progress').length, 0)
  assert.equal(text('h1'), 'No edge among 4')
})

test('neighbours: what they came to, told as the API has it', async () => {
  await opened({ [`GET ${sweeps}?limit=100`]: page([done()]), [`GET ${sweeps}/sweep_1`]: done() })
  assert.equal(text('h1'), 'No edge among 4')
  assert.deepEqual(texts('td button'), ['+2.00', '−1.00', '+1.00', '+0.50'])
  assert.deepEqual(texts('.facts li'), [
    "The best: Up's price 30c, take profit 50c. It made +$2.00.",
    'No variant survives.',
    '4 tried.',
  ])
  assert.match(text('.rc'), /venue fees.*blocks of 1 dayreport eeeeeeee$/)
})

test('neighbours: a cell rewrites the sentence, if that reads as it should', async () => {
  const strategy = {
    entry: [{ type: 'price', token: 'up', comparator: 'lt', threshold: 0.3, within_seconds: null }],
    exit: { take_profit: 0.5, stop_loss: 0.2 },
  }
  await opened({ [`GET ${sweeps}/sweep_1`]: done() }, 'sweep_1')
  await press(/take profit 50c: \+\$2\.00/) // it reads as before
  assert.match(text('p.loss'), /reads differently/)
  assert.notEqual(location.pathname, '/runs/run_1')
  serve({ 'POST /app/v1/ai/parse': (sent) => read(sent.body.prompt, strategy) })
  await press(/take profit 50c: \+\$2\.00/)
  assert.equal(now().prompt, prompt.replace('35 cents', '30 cents').replace('55c', '50c'))
  assert.equal(location.pathname, '/runs/run_1')
})

test('neighbours: stopped, failed, refused', async () => {
  let state = 'running'
  await opened(
    {
      [`GET ${sweeps}/sweep_1`]: () =>
        done({ state, result: null, error: 'the archive <was> away' }),
      [`POST ${sweeps}/sweep_1/cancel`]: {},
    },
    'sweep_1',
  )
  await press('Stop')
  assert.equal(asked.at(-1).name, `POST ${sweeps}/sweep_1/cancel`)
  await key('Escape')
  assert.equal(asked.filter((a) => a.name === `POST ${sweeps}/sweep_1/cancel`).length, 2)
  state = 'cancelled'
  await streams[0].says('state', { state })
  assert.match(text(), /Stopped; nothing of it is kept\./)
  await key('Escape') // and then back to the run
  assert.equal(location.pathname, '/runs/run_1')
  state = 'failed'
  await show(<Neighbours key="again" id="run_1" sweep="sweep_1" />)
  assert.match(text(), /Failed\. the archive <was> away/)
  serve({ [`POST ${sweeps}`]: refusal(403, 'too many variants') })
  await press(/^Try/)
  assert.match(text('[role=alert]'), /too many variants$/)
})

test('neighbours: Stop before the sweep has a name', async () => {
  const made = held()
  await opened({ [`POST ${sweeps}`]: () => made.answer, [`POST ${sweeps}/sweep_1/cancel`]: {} })
  await press(/^Try/)
  await key('Escape')
  await made.free([202, { ...done(), state: 'queued', result: null }])
  assert.ok(asked.some((a) => a.name === `POST ${sweeps}/sweep_1/cancel`))
})

test('neighbours: a sentence without figures, and a run that is not there', async () => {
  await opened({ 'POST /app/v1/ai/parse': parsed(prompt, []) })
  assert.match(text(), /None of the numbers of this sentence is written in figures/)
  assert.equal(all('form').length, 0)
  set({ run: undefined })
  await opened({ 'GET /app/v1/ai/backtests/run_2': refusal(404, 'no') })
  await show(<Neighbours key="2" id="run_2" sweep="" />)
  assert.equal(text('h1'), 'No such run')
  assert.equal(one('.lead a').getAttribute('href'), '/')
})
