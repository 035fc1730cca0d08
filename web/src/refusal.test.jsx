import { Refused } from './api'
import { now } from './bench'
import { Refusal, twofold } from './refusal'
import { all, buttons, press, serve, show, text, texts } from '../test/dom.mjs'
import { parsed, summary } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const refused = (offers = {}, at = []) =>
  new Refused(400, 'bad_request', 'not <b>read</b>', at, [], 0, offers)
const parse = () => serve({ 'POST /app/v1/ai/parse': parsed() })

test('refusal: why, in all its places, or in one sentence', async () => {
  await show(<Refusal refused={refused()} text="x" />)
  assert.equal(text('[role=alert]'), 'not <b>read</b>')
  const at = ['a percentage is not a price', 'no such coin'].map((message) => ({ message }))
  await show(<Refusal refused={refused({}, at)} text="x" />)
  assert.deepEqual(texts('li'), ['a percentage is not a price', 'no such coin'])
  assert.deepEqual(buttons(), [])
})

test('refusal: a rewrite that reads shows what changes, and is one press away', async () => {
  parse()
  await show(
    <Refusal refused={refused({ suggestion: 'Buy Up on BTC' })} text="Buy Up on BTV now" />,
  )
  assert.deepEqual([texts('del'), texts('ins')], [['BTV now'], ['BTC']])
  await press('Use this')
  assert.equal(now().prompt, 'Buy Up on BTC')
})

test('refusal: two readings are told by where they differ, each a press', async () => {
  parse()
  const choices = ['at least', 'at most', 'exactly'].map((how) => ({
    summary: `Buy Up when its price is ${how} 65c.`,
    strategy: { entry: [{ comparator: how, threshold: 0.65 }], exit: {} },
  }))
  assert.deepEqual(twofold(choices), ['entry.0.comparator'])
  await show(<Refusal refused={refused({ choices: choices.slice(0, 2) })} text="x" />)
  assert.match(text('[role=status]'), /^This can be read in two ways\. What is meant\?/)
  assert.deepEqual(texts('ins'), ['least', 'most'])
  await press(buttons()[1])
  assert.equal(now().prompt, choices[1].summary)
  await show(<Refusal refused={refused({ choices })} text="x" />)
  assert.match(text(), /in several ways/)
})

const offer = (more) => ({
  ...refused({
    suggestion: 'Buy Up on BTC 15m',
    confirm: {
      strategy: {},
      summary,
      left_out: [{ text: 'kind of <early>' }, { text: 'wobbly' }],
      ...more,
    },
  }),
})

test('refusal: a sentence without some of its words is one press away', async () => {
  parse()
  await show(<Refusal refused={offer()} text="x" />)
  assert.match(text('.suggest'), /^Without “kind of <early>”, “wobbly” it says:/)
  assert.equal(text('.said'), summary)
  assert.equal(all('del').length, 2)
  await press('Leave it out')
  assert.equal(now().prompt, 'Buy Up on BTC 15m')
})

test('refusal: what the language model alone has read is no sentence with words left out', async () => {
  parse()
  await show(<Refusal refused={offer({ read_by_model_alone: ['exit.take_profit'] })} text="x" />)
  assert.match(
    text('.suggest'),
    /^The rules do not understand “kind of <early>”, “wobbly”\. The language model reads:/,
  )
  assert.match(text(), /The language model alone has read Target \(take profit at 55c\)\./)
  assert.equal(all('del').length, 0)
  assert.deepEqual(buttons(), ['That is meant'])
  await show(<Refusal refused={offer({ likely: ['exit.take_profit'] })} text="x" />)
  assert.match(text('.suggest'), /“wobbly”\. Most likely this is meant:/)
  assert.match(text(), /Told by the words around it alone: Target \(take profit at 55c\)\./)
  assert.deepEqual(buttons(), ['That is meant'])
  const whole = refused({ confirm: { strategy: {}, summary } })
  await show(<Refusal refused={whole} text="x" />)
  assert.match(text('.suggest'), /^It seems to say:/)
  await press('That is meant')
  assert.equal(now().prompt, summary)
})
