import { later } from './later'
import { held, one, show, text } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const Screen = ({ of }) => <main>screen of {of}</main>

test('later: a screen comes when it is first shown, and is there the next time', async () => {
  const late = held()
  let asked = 0
  const Later = later('Archive', () => (asked++, late.answer))
  await show(<Later of="one" />)
  assert.equal(text('h1'), 'Archive')
  assert.equal(one('main').getAttribute('aria-busy'), 'true')
  await late.free(Screen)
  assert.equal(text(), 'screen of one')
  await show(<Later key="again" of="two" />)
  assert.equal(text(), 'screen of two')
  assert.equal(asked, 1)
})

test('later: one that cannot be loaded says so, and is asked for again', async () => {
  let there = false
  const Later = later('Archive', async () => (there ? Screen : Promise.reject(new Error('away'))))
  await show(<Later of="one" />)
  assert.match(text('[role=alert]'), /^The page could not be loaded\. Load it again$/)
  assert.equal(one('a').target, '_self')
  assert.equal(one('main').getAttribute('aria-busy'), 'false')
  there = true
  await show(<Later key="again" of="two" />)
  assert.equal(text(), 'screen of two')
})
