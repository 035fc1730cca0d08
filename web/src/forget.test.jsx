import { Forget } from './forget'
import { all, buttons, document, one, press, show, text, window } from '../test/dom.mjs'
import { does, key } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

test('forget: only after one more question', async () => {
  let gone = 0
  await show(<Forget forget={() => gone++} />)
  await press('Forget')
  assert.equal(text('dialog h2'), 'Forget this run?')
  assert.equal(one('dialog').open, true)
  assert.equal(one('dialog').getAttribute('aria-labelledby'), one('dialog h2').id)
  await press('Keep it')
  assert.equal(gone, 0)
  assert.deepEqual(buttons(), ['Forget'])
  await press('Forget')
  const cancel = new window.Event('cancel', { cancelable: true }) // Escape
  await does(() => one('dialog').dispatchEvent(cancel))
  assert.ok(cancel.defaultPrevented) // the page closes it
  assert.equal(gone, 0)
  assert.equal(all('dialog').length, 0)
  await press('Forget')
  await press('Forget for good')
  assert.equal(gone, 1)
  assert.equal(all('dialog').length, 0)
})

test('forget: keys that are pressed at the question are not the page’s', async () => {
  const heard = []
  const hear = (e) => heard.push(e.key)
  document.body.addEventListener('keydown', hear)
  await show(<Forget forget={() => {}} />)
  await press('Forget')
  await key('j', { on: one('dialog') })
  document.body.removeEventListener('keydown', hear)
  assert.deepEqual(heard, [])
})
