import { Refused } from './api'
import { Problem } from './problem'
import { one, passes, show, text } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

test('problem: why a request was refused, in words', async () => {
  for (const [status, code, want] of [
    [429, 'rate_limited', 'Too many requests. said <b>'],
    [503, 'unavailable', 'Not available at the moment. said <b>'],
    [401, 'unauthorized', 'Signed out. said <b>'],
    [403, 'plan_required', 'This plan has no backtests. said <b>'],
    [400, 'bad_request', 'Refused. said <b>'],
    [
      0,
      'unreachable',
      'The server does not answer. Is it still running? What you have typed stays here.',
    ],
  ]) {
    await show(<Problem problem={new Refused(status, code, 'said <b>')} until={0} />)
    assert.equal(text(), want)
    assert.equal(one('.problem').getAttribute('role'), 'alert')
  }
})

test('problem: it counts down until the request may be sent again', async () => {
  await show(<Problem problem={new Refused(429, '', 'too many')} until={Date.now() + 2000} />)
  assert.match(text(), /Again in 2 s\.$/)
  await passes(1100)
  assert.match(text(), /Again in 1 s\.$/)
  await passes(1000)
  assert.match(text(), /too many$/)
})
