import { Brand, SignIn } from './signin'
import {
  asked,
  button,
  document,
  field,
  held,
  one,
  press,
  put,
  serve,
  show,
  text,
} from '../test/dom.mjs'
import { refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const path = 'POST /app/session'
let done = 0
const signin = (said = '') => <SignIn said={said} done={async () => void done++} />

test('signin: a key is sent once and kept nowhere', async () => {
  done = 0
  const late = held()
  serve({ [path]: () => late.answer })
  await show(signin())
  assert.equal(document.title, 'Sign in · Ladderback')
  await press('Sign in') // nothing is typed yet
  await put('API key', ' lb_secret ')
  await press('Sign in')
  assert.equal(button('Sign in').disabled, true)
  await late.free([204])
  assert.deepEqual(
    asked.map((a) => a.body),
    [{ key: 'lb_secret' }],
  )
  assert.equal(done, 1)
  assert.equal(field('API key').value, '')
  assert.ok(!document.documentElement.outerHTML.includes('lb_secret'))
  assert.equal(button('Sign in').disabled, false)
})

test('signin: why it failed is told beside the field; what was typed stays', async () => {
  serve({ [path]: refusal(401, 'API key <b> revoked') })
  await show(signin('The link was used.'))
  assert.equal(text('[role=alert]'), 'The link was used.')
  await put('API key', 'lb_wrong')
  await press('Sign in')
  assert.equal(text('[role=alert]'), 'API key <b> revoked')
  assert.equal(field('API key').getAttribute('aria-describedby'), one('[role=alert]').id)
  assert.equal(field('API key').value, 'lb_wrong')
  serve({ [path]: 'down' })
  await press('Sign in')
  assert.equal(text('[role=alert]'), 'The server does not answer.')
})

test('signin: the brand leads home', async () => {
  await show(<Brand />)
  assert.equal(one('a').getAttribute('href'), '/')
  assert.equal(text(), 'Ladderback')
})
