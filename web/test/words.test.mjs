// Words, numbers and places, without a browser.
import { build } from 'esbuild'
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const load = async (name) => {
  const made = await build({
    entryPoints: [join(here, '../src', name)],
    bundle: true,
    format: 'esm',
    write: false,
    jsx: 'automatic',
    jsxImportSource: 'preact',
  })
  return import(
    'data:text/javascript;base64,' + Buffer.from(made.outputFiles[0].contents).toString('base64')
  )
}
const t = await load('text.ts')
const m = await load('marks.ts')
const p = await load('places.ts')
const tr = await load('trades.tsx')
const ex = await load('examples.tsx')
const mk = await load('market.tsx')
const tries = await load('tries.tsx')

test('quotation marks of the server are the page’s', () => {
  for (const [said, want] of [
    ['"wobbly" is not understood', '“wobbly” is not understood'],
    ['did you mean "drops" for "drps"?', 'did you mean “drops” for “drps”?'],
    ['a screen of 15" is one mark', 'a screen of 15" is one mark'],
    ['nothing is quoted', 'nothing is quoted'],
  ])
    assert.equal(t.typeset(said), want)
})

test('numbers are rounded half even on their millionths', () => {
  for (const [x, decimals, want] of [
    [0.125, 2, '0.12'],
    [0.135, 2, '0.14'],
    [-0.001, 2, '0.00'],
    [-151.73071, 2, '−151.73'],
    [2.5, 0, '2'],
    [3.5, 0, '4'],
    [1e6, 0, '1000000'],
    [0.000001, 6, '0.000001'],
  ])
    assert.equal(t.fixed(x, decimals), want)
  assert.equal(t.usd(-1234.5), '−$1,234.50')
  assert.equal(t.usd(0), '$0.00')
  assert.equal(t.usd(null), '–')
  assert.equal(t.rate(0.419355), '41.9%')
  assert.equal(t.points(-0.106667), '−10.7 pp')
  assert.equal(t.counted(1, 'entry'), '1 entry')
  assert.equal(t.counted(2000, 'entry'), '2,000 entries')
  assert.equal(t.counted(4, 'day'), '4 days')
  assert.equal(t.span(59.9), '59s')
  assert.equal(t.span(372), '6m12s')
  assert.equal(t.span(3600), '1h00m')
  assert.equal(t.interval(null, t.usd), 'too few trades')
})

test('instants keep their microseconds', () => {
  assert.equal(t.fine('2026-04-13T12:31:15.8436Z', 6), '12:31:15.843600')
  assert.equal(t.fine('2026-04-13T12:31:15Z', 0), '12:31:15')
  assert.ok(
    Math.abs(t.instant('2026-04-13T12:31:15.000001Z') - t.instant('2026-04-13T12:31:15Z') - 1e-6) <
      1e-6,
  )
})

test('pieces are cut at code points', () => {
  const text = '😀 שלום Buy Up 👩‍👩‍👧 on BTC'
  const points = [...text]
  const at = (word) => {
    const i = points
      .join('\u0000')
      .split('\u0000')
      .findIndex((_, k) => points.slice(k, k + [...word].length).join('') === word)
    return { start: i, end: i + [...word].length }
  }
  const marks = [
    { ...at('Buy Up'), kind: 'what', field: 'side' },
    { ...at('BTC'), kind: 'what', field: 'market.coin' },
  ]
  const got = m.pieces(text, marks)
  assert.equal(got.map((p) => p.text).join(''), text)
  assert.deepEqual(
    got.filter((p) => p.kind).map((p) => p.text),
    ['Buy Up', 'BTC'],
  )
})

test('marks of one field join over words that set nothing', () => {
  const text = 'in the first 3 minutes'
  const marks = [
    { start: 0, end: 2, kind: 'when', field: 'entry' },
    { start: 7, end: 22, kind: 'when', field: 'entry' },
  ]
  assert.deepEqual(
    m.pieces(text, marks).map((p) => p.text),
    ['in', ' the ', 'first 3 minutes'],
  )
  assert.deepEqual(
    m.pieces(text, marks, [{ start: 3, end: 6 }]).map((p) => p.text),
    [text],
  )
})

test('marks move with the text until it is read again', () => {
  const marks = [
    { start: 0, end: 3, kind: 'a', field: '' },
    { start: 7, end: 10, kind: 'b', field: '' },
  ]
  assert.deepEqual(
    m.moved(marks, 'Buy Up BTC', 'Buy 😀 Up BTC').map((m) => [m.start, m.end]),
    [
      [0, 3],
      [9, 12],
    ],
  )
  assert.deepEqual(
    m.moved(marks, 'Buy Up BTC', 'Buy Up BETC').map((m) => m.kind),
    ['a'],
  )
})

test('sentences are compared word by word', () => {
  assert.deepEqual(
    t
      .diff('Buy Up when Up drops below 35 cents', 'Buy Up when it falls under 30 cents early')
      .map((d) => d.op + d.text),
    [' Buy Up when', '-Up drops below 35', '+it falls under 30', ' cents', '+early'],
  )
})

// read is a reading: a prompt, what it became, and the phrases with their fields.
const read = (prompt, strategy, phrases) => ({
  prompt,
  strategy: { entry: [], exit: {}, budget_per_trade: 100, sample_size: 50, ...strategy },
  parse: {
    spans: phrases.map(([text, field]) => {
      const start = [...prompt.slice(0, prompt.indexOf(text))].length
      return { start, end: start + [...text].length, text, field }
    }),
  },
})

test('the numbers of a sentence are found where they stand, and written anew', () => {
  const prompt =
    '🚀 Buy Up on BTC 15m when Up drops below 35 cents in the first 5 minutes with bid depth over $1,000, take profit at 55c, stop at 20c, $50 per trade'
  const level = { token: 'up', comparator: 'lt', within_seconds: 300 }
  const parsed = read(
    prompt,
    {
      entry: [
        { ...level, type: 'price', threshold: 0.35 },
        { ...level, type: 'bid_depth', threshold: 1000, within_seconds: null },
      ],
      exit: { take_profit: 0.55, stop_loss: 0.2 },
      budget_per_trade: 50,
    },
    [
      ['when Up drops below 35 cents', 'entry.0'],
      ['first 5 minutes', 'entry'],
      ['bid depth over $1,000', 'entry.1'],
      ['take profit at 55c', 'exit.take_profit'],
      ['stop at 20c', 'exit.stop_loss'],
      ['$50 per trade', 'budget_per_trade'],
    ],
  )
  const places = p.placesOf(parsed)
  assert.deepEqual(
    places.map((x) => [x.field, prompt.slice(x.start, x.end)]),
    [
      ['entry.0.threshold', '35'],
      ['entry.0.within_seconds', '5'],
      ['entry.1.threshold', '1,000'],
      ['exit.take_profit', '55'],
      ['exit.stop_loss', '20'],
      ['budget_per_trade', '50'],
    ],
  )
  const at = (field) => places.find((x) => x.field === field)
  assert.equal(
    p.rewritten(prompt, [
      [at('exit.take_profit'), 0.575],
      [at('entry.0.threshold'), 0.3],
      [at('entry.0.within_seconds'), 420],
    ]),
    prompt
      .replace('35 cents', '30 cents')
      .replace('5 minutes', '7 minutes')
      .replace('55c', '57.5c'),
  )
  assert.deepEqual(p.valuesOf(at('entry.0.threshold'), 0.05, 5), [0.25, 0.3, 0.35, 0.4, 0.45])
  assert.deepEqual(p.valuesOf({ unit: 'price', value: 0.02 }, 0.01, 5), [0.01, 0.02, 0.03, 0.04])
  assert.deepEqual(p.valuesOf({ unit: 'price', value: -0.1 }, 0.05, 5), [-0.2, -0.15, -0.1, -0.05])
  assert.equal(p.stepOf(at('entry.0.within_seconds')), 60)
})

test('a number in words has no place; one that two fields share belongs to the closer phrase', () => {
  const words = read(
    'Buy Up below thirty-five cents',
    {
      entry: [
        { type: 'price', token: 'up', comparator: 'lt', threshold: 0.35, within_seconds: null },
      ],
    },
    [['below thirty-five cents', 'entry.0']],
  )
  assert.deepEqual(p.placesOf(words), [])
  const prompt = 'between 30 and 40 cents, stop at 30c'
  const level = { type: 'price', token: 'up', within_seconds: null }
  const both = read(
    prompt,
    {
      entry: [
        { ...level, comparator: 'lte', threshold: 0.4 },
        { ...level, comparator: 'gte', threshold: 0.3 },
      ],
      exit: { stop_loss: 0.3 },
    },
    [
      ['between 30 and 40 cents', 'entry.1'],
      ['stop at 30c', 'exit.stop_loss'],
    ],
  )
  assert.deepEqual(
    p.placesOf(both).map((x) => [x.field, x.start]),
    [
      ['entry.1.threshold', 8],
      ['exit.stop_loss', 33],
    ],
  )
})

test('trades in the order that was asked for, by their own numbers', () => {
  const at = (m) => `2026-04-02T12:${m}:00Z`
  const trades = [
    { pnl: 5, exit_reason: 'expiry', entry_time: at('30') },
    { pnl: -2, exit_reason: 'stop_loss', entry_time: at('10') },
    { pnl: 5, exit_reason: 'expiry', entry_time: at('20') },
  ]
  assert.deepEqual(tr.orderOf(trades, 'exit', false, ''), [1, 2, 3])
  assert.deepEqual(tr.orderOf(trades, 'exit', true, ''), [3, 2, 1])
  assert.deepEqual(tr.orderOf(trades, 'pnl', true, ''), [1, 3, 2])
  assert.deepEqual(tr.orderOf(trades, 'round', false, ''), [2, 3, 1])
  assert.deepEqual(tr.orderOf(trades, 'pnl', false, 'expiry'), [1, 3])
})

test('examples are of what there is most of', () => {
  assert.deepEqual(ex.examplesOf([]), [])
  assert.deepEqual(ex.examplesOf([{ coin: 'BTC', market_type: '5m', rounds: 0, inferred: 0 }]), [])
  const [one, two, three] = ex.examplesOf([
    { coin: 'BTC', market_type: '15m', rounds: 500, inferred: 0 },
    { coin: 'SOL', market_type: '4h', rounds: 1, inferred: 600 },
  ])
  assert.match(one.prompt, /SOL 4h .* first 80 minutes.* last 100 markets/)
  assert.equal(one.inferred, true)
  assert.match(two.prompt, /BTC 15m .* last 3 minutes.* last 100 markets/)
  assert.equal(two.inferred, false)
  assert.match(three.prompt, /in 16 minutes, sell after 48 minutes/)
})

test('a market opens at a time with a book', () => {
  assert.equal(mk.middle([1, 1, 1, 1, 1]), 2)
  assert.equal(mk.middle([1, 1, undefined, undefined, undefined, undefined, undefined]), 1)
  assert.equal(mk.middle([undefined, undefined]), 1)
})

test('another run is named by the field that it changes, or by its options', () => {
  const run = (summary, options = {}) => ({
    summary,
    options: {
      latency_ms: 250,
      max_slippage: 0.05,
      stale_ms: 30000,
      fees: 'venue',
      winners: 'official',
      min_coverage: 0,
      sampling: 'recent',
      seed: 1,
      baseline: true,
      ...options,
    },
  })
  const a = run(
    "Buy Up on BTC 15m markets when Up's price is below 35c; take profit at 55c; $50 per trade.",
  )
  assert.equal(tries.label(run(a.summary.replace('35c', '30c')), a), 'price is below 30c')
  assert.equal(tries.label(run(a.summary.replace('$50', '$60')), a), '$60 per trade')
  assert.equal(
    tries.label(run(a.summary, { winners: 'inferred' }), a),
    'official and inferred winners',
  )
  assert.equal(tries.label(run(a.summary), a), 'the same again')
})
