import { Looks } from './looks'
import { all, empty, one, show, text } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const both = { look: '12th look at BTC 15m: 11 tries before it.', lock: 'Locked: <i>rounds</i>.' }

test('looks: which look it is, and a lock that is closed until it was opened', async () => {
  await show(<Looks words={both} held={{ opened_at: null }} />)
  assert.equal(text(), 'Locked: <i>rounds</i>.12th look at BTC 15m: 11 tries before it.')
  assert.equal(one('[role=img]').getAttribute('aria-label'), 'Lockbox, closed')
  await show(<Looks words={both} held={{ opened_at: '2026-04-21T00:00:00Z' }} />)
  assert.equal(one('[role=img]').getAttribute('aria-label'), 'Lockbox, open')
  await show(<Looks words={{ look: both.look }} />)
  assert.equal(text(), both.look)
  await show(<Looks words={{ lock: both.lock }} />)
  assert.equal(all('.looks p').length, 1)
  await show(<Looks words={{}} />)
  assert.ok(empty())
})
