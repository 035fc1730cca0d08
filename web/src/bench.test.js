import { choose, load, loadTries, now, retry, set, start, stop, write } from './bench'
import { asked, does, held, passes, serve, settle, streams } from '../test/dom.mjs'
import { page, parsed, prompt, refusal, run } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const runs = '/app/v1/ai/backtests'
const parse = 'POST /app/v1/ai/parse'
const sent = () => asked.filter((a) => a.name === parse).map((a) => a.body.prompt)
const usual = { [parse]: (s) => parsed(s.body.prompt), [`GET ${runs}?*`]: page([]) }

test('bench: a sentence is read no more often than the server allows, the newest at last', async () => {
  serve(usual)
  for (const text of ['B', 'Bu', 'Buy']) await does(() => write(text))
  assert.deepEqual(sent(), ['B'])
  await passes(105)
  assert.deepEqual(sent(), ['B', 'Buy'])
  await does(() => write(' '))
  await passes(200)
  assert.equal(sent().length, 2)
  assert.equal(now().reading, undefined)
})

test('bench: a late reply never takes the place of a newer one', async () => {
  const late = held()
  serve({
    ...usual,
    [parse]: (s) => (s.body.prompt === 'older' ? late.answer : parsed(s.body.prompt)),
  })
  await does(() => write('older'))
  await passes(200)
  await does(() => write('newer'))
  assert.equal(now().reading.text, 'newer')
  await late.free(parsed('older'))
  assert.equal(now().reading.text, 'newer')
  await does(() => write('')) // nor that of no sentence at all
  assert.equal(now().reading, undefined)
})

test('bench: a reading that came too often is asked again when it may be', async () => {
  serve({ [parse]: refusal(429, 'too often', {}, { 'Retry-After': '3' }) })
  await does(() => write('Buy Up'))
  assert.equal(now().reading, undefined)
  serve(usual)
  await passes(3000)
  assert.equal(now().reading.parsed.prompt, 'Buy Up')
})

test('bench: a request that nobody answered is sent again under its name; another has another', async () => {
  const made = `POST ${runs}`
  const names = () => asked.filter((a) => a.name === made).map((a) => a.headers['Idempotency-Key'])
  serve({ [made]: 'down' })
  set({ prompt })
  await does(() => start())
  assert.equal(now().problem.status, 0)
  await does(() => start())
  assert.equal(names()[0], names()[1])
  set({ prompt: prompt + '!' })
  await does(() => start())
  assert.notEqual(names()[2], names()[1])
  serve({ [made]: refusal(503, 'away') })
  await does(() => start())
  await does(() => start()) // it was heard, and refused
  assert.notEqual(names()[4], names()[3])
})

test('bench: a sentence that nobody can read is told beside it, and not as a failed run', async () => {
  const at = [{ start: 0, end: 3, text: 'Buy', message: 'not "understood"' }]
  serve({ [`POST ${runs}`]: refusal(400, 'not read', { at }) })
  set({ prompt, caret: 4 })
  await does(() => start())
  assert.equal(now().problem, undefined)
  assert.equal(now().reading.refused.at[0].message, 'not “understood”')
  assert.equal(now().caret, -1)
})

test('bench: Stop before the run has a name cancels it as soon as it has', async () => {
  const late = held()
  serve({ [`POST ${runs}`]: () => late.answer, [`POST ${runs}/run_2/cancel`]: {} })
  set({ prompt })
  await does(() => void start())
  await does(() => stop())
  assert.equal(asked.length, 1)
  await late.free([202, run('run_2', { state: 'queued' })])
  assert.equal(asked.at(-1).name, `POST ${runs}/run_2/cancel`)
})

/** running follows a run; at says what the server has of it. */
async function running(at) {
  serve({ ...usual, [`GET ${runs}/run_2`]: at })
  await does(() => load('run_2'))
  await passes(10)
  return streams.at(-1)
}
const going = (more) =>
  run('run_2', { state: 'running', done: 1, total: 100, result: null, ...more })

test('bench: a run that goes on is followed to its end', async () => {
  let at = going()
  const stream = await running(() => at)
  assert.equal(now().live.id, 'run_2')
  await stream.says('progress', { done: 50, total: 100, phase: 'baseline' })
  assert.deepEqual([now().live.done, now().live.phase], [50, 'baseline'])
  at = run('run_2')
  await stream.says('state', { state: 'done' })
  await passes(10)
  assert.equal(now().live, undefined)
  assert.equal(now().run.id, 'run_2')
  assert.equal(stream.readyState, 2)
})

test('bench: a connection that is lost is taken up again, and a server that is away waited for', async () => {
  let at = going()
  const stream = await running(() => at)
  await stream.breaks()
  assert.equal(now().live.lost, true)
  at = 'down'
  await passes(1500)
  await passes(2000)
  assert.equal(now().live.lost, true)
  at = going()
  await passes(2000)
  assert.equal(streams.length, 2)
  await streams[1].says('open')
  assert.equal(now().live.lost, false)
  at = refusal(503, 'away') // at the very end
  await streams[1].says('state', { state: 'done' })
  assert.equal(now().live.lost, true)
  at = run('run_2')
  await passes(2000)
  await passes(10)
  assert.equal(now().run.id, 'run_2')
})

test('bench: a run that was forgotten while it was followed is missing', async () => {
  let at = going()
  const stream = await running(() => at)
  at = refusal(404, 'forgotten')
  await stream.breaks()
  await passes(1500)
  assert.deepEqual([now().live, now().missing], [undefined, true])
})

test('bench: a run that is gone to comes with its sentence; what was typed meanwhile stays', async () => {
  const late = held()
  serve({ ...usual, [`GET ${runs}/run_1`]: () => late.answer })
  history.replaceState(null, '', '/runs/run_1#trade=2')
  await does(() => void load('run_1'))
  set({ prompt: 'Buy Down' })
  await late.free(run())
  await passes(10)
  assert.deepEqual([now().run.id, now().prompt, now().trade], ['run_1', 'Buy Down', 2])
})

test('bench: an address that is left before its run has come stays left', async () => {
  const late = held()
  serve({ ...usual, [`GET ${runs}/run_1`]: run(), [`GET ${runs}/run_2`]: () => late.answer })
  await does(() => load('run_1'))
  await passes(10)
  await does(() => void load('run_2'))
  await does(() => load('run_1'))
  await late.free(run('run_2'))
  await passes(10)
  assert.equal(now().run.id, 'run_1')
})

test('bench: a second try that comes when another run was gone to changes nothing', async () => {
  const late = held()
  serve({ [`POST ${runs}/run_1/retry`]: () => late.answer })
  set({ run: run('run_1', { state: 'failed' }) })
  await does(() => void retry('run_1'))
  set({ run: run('run_2') })
  await late.free([202, run('run_1', { state: 'queued' })])
  assert.equal(now().live, undefined)
})

test('bench: the tries of the run on show; those of before are not told late', async () => {
  const late = held()
  serve({
    [`GET ${runs}?limit=20`]: () => late.answer,
    [`GET ${runs}?limit=20&coin=BTC&market_type=15m`]: page([run('run_9')], 'more'),
  })
  await does(() => void loadTries())
  set({ run: run() })
  await does(() => loadTries())
  await late.free(page([]))
  assert.deepEqual([now().tries.map((t) => t.id), now().older], [['run_9'], true])
})

test('bench: a trade is chosen if there is one, and stands in the address', async () => {
  set({ run: run() })
  for (const n of [0, 4, 2]) choose(n)
  await settle()
  assert.equal(now().trade, 2)
  assert.equal(location.hash, '#trade=2')
})
