import { Hint } from './hint'
import { all, blur, button, focus, key, one, point, press, show, text } from '../test/dom.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const hint = <Hint help="What <b>it</b> is.">word</Hint>
const told = () => all('[role=tooltip]').map((e) => e.textContent)

test('hint: a word is explained to a pointer, a finger and a key, and no longer', async () => {
  await show(hint)
  assert.equal(text(), 'word')
  assert.equal(button('word').getAttribute('aria-expanded'), 'false')
  await point('pointerenter', one('.hint'))
  assert.deepEqual(told(), ['What <b>it</b> is.'])
  await point('pointerleave', one('.hint'))
  assert.deepEqual(told(), [])
  await point('pointerenter', one('.hint'), { pointerType: 'touch' }) // a finger that scrolls by
  assert.deepEqual(told(), [])
  await press('word')
  assert.deepEqual(told(), ['What <b>it</b> is.'])
  await blur(button('word'))
  await focus(button('word'))
  assert.equal(button('word').getAttribute('aria-describedby'), one('[role=tooltip]').id)
  assert.equal(button('word').getAttribute('aria-expanded'), 'true')
  await key('Escape')
  assert.deepEqual(told(), [])
  assert.equal(button('word').getAttribute('aria-describedby'), null)
})

test('hint: Escape closes the explanation alone', async () => {
  let heard = 0
  await show(<div onKeyDown={() => heard++}>{hint}</div>)
  await focus(button('word'))
  await key('Escape')
  assert.equal(heard, 0)
  await key('Escape') // nothing is open: it is the page's
  assert.equal(heard, 1)
})
