import { call, json, onSignedOut, Refused, signIn } from './api'
import { get, send } from './people'
import { serve } from '../test/dom.mjs'
import { refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const why = (asked) =>
  asked.then(
    () => assert.fail('it was not refused'),
    (err) => err,
  )

test('api: what was refused says why, with the quotation marks of the page', async () => {
  const at = [{ start: 0, end: 1, text: 'x', message: 'no "x"' }]
  serve({
    'GET /app/v1/a': refusal(429, 'no "x" today', { at, suggestion: 'y' }, { 'Retry-After': '7' }),
  })
  const err = await why(call('/a'))
  assert.ok(err instanceof Refused)
  assert.deepEqual(
    [err.status, err.code, err.message, err.retryAfter, err.at[0].message, err.offers.suggestion],
    [429, 'refused', 'no “x” today', 7, 'no “x”', 'y'],
  )
})

test('api: no answer, one of something in between, and none of any content', async () => {
  serve({ 'GET /app/v1/a': 'down', 'GET /app/v1/b': [502, '<html>'], 'GET /app/v1/c': [204] })
  assert.deepEqual(
    [(await why(call('/a'))).status, (await why(call('/a'))).message],
    [0, 'The server does not answer.'],
  )
  assert.equal((await why(call('/b'))).message, 'The server answered 502.')
  assert.equal(await call('/c'), undefined)
})

test('api: a session that is over is noticed: by no wrong password, link, or answer to an earlier one', async () => {
  let over = 0
  onSignedOut(() => over++)
  const no = refusal(401, 'signed out')
  serve({
    'GET /app/*': no,
    'POST /app/x': refusal(401, 'no', { detail: [{ msg: 'the password is wrong' }] }),
    'GET /v1/*': no,
    'POST /app/session': [204],
  })
  assert.equal((await why(send('POST', '/x'))).message, 'the password is wrong')
  await why(json('/v1/shared/x'))
  assert.equal(over, 0)
  let free
  serve({ 'GET /app/late': () => new Promise((r) => (free = r)) })
  const late = why(get('/late'))
  await signIn({ key: 'lb' })
  free(no)
  await late
  assert.equal(over, 0)
  await why(get('/keys'))
  assert.equal(over, 1)
})
