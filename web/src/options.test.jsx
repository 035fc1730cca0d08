import { now, set, useBench } from './bench'
import { Options } from './options'
import { defaults } from './strategy'
import { field, put, show, text } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const Shown = () => <Options s={useBench()} />

test('options: what a result rests on, in words', async () => {
  await show(<Shown />)
  assert.match(
    text('summary'),
    /^250 ms latency · pays up to 0\.05 above the ask · venue fees · official winners change$/,
  )
  set({
    options: {
      ...defaults,
      max_slippage: 'none',
      min_coverage: 0.9,
      sampling: 'random',
      from: '2026-04-01',
    },
  })
  await show(<Shown />)
  assert.match(
    text('summary'),
    /pays any ask .* recorded for 90% · random sample, seed 1 · from 2026-04-01/,
  )
})

test('options: each is taken from its field, and what it cannot be is not', async () => {
  await show(<Shown />)
  for (const [name, typed, key, want] of [
    ['Latency', '700', 'latency_ms', 700],
    ['Latency', '-5', 'latency_ms', 0],
    ['Stale after', '20', 'stale_ms', 20_000],
    ['Slippage cap', ' 0.02 ', 'max_slippage', 0.02],
    ['Slippage cap', '0,2', 'max_slippage', 0.02], // no number: what was there stays
    ['Slippage cap', '-1', 'max_slippage', 0.02],
    ['Slippage cap', 'none', 'max_slippage', 'none'],
    ['Slippage cap', '0', 'max_slippage', 0],
    ['Slippage cap', '', 'max_slippage', 'none'],
    ['Fees', 'none', 'fees', 'none'],
    ['Winners', 'inferred', 'winners', 'inferred'],
    ['Min coverage', '7', 'min_coverage', 1],
    ['Sampling', 'random', 'sampling', 'random'],
    ['Seed', '42', 'seed', 42],
    ['From', ' 2026-04-13 ', 'from', '2026-04-13'],
    ['To', '2026-04-14', 'to', '2026-04-14'],
    ['baseline', '', 'baseline', false],
  ]) {
    await put(name, typed)
    assert.equal(now().options[key], want, `${name}: ${typed}`)
    if (key === 'max_slippage') assert.equal(field(name).value, String(want), `${name}: ${typed}`)
  }
})
