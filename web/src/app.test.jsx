import { App } from './app'
import {
  all,
  asked,
  document,
  gone,
  held,
  passes,
  press,
  put,
  serve,
  settle,
  show,
  text,
} from '../test/dom.mjs'
import { page, refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const who = { organization: 'ada', plan: 'pro' }
/** opened shows the page at an address to somebody; answers beside the usual ones. */
async function opened(path, answers = {}) {
  history.replaceState(null, '', path)
  if (!skeleton()) document.body.insertAdjacentHTML('beforeend', '<div id="skeleton"></div>')
  serve({
    'GET /*': refusal(404, 'nothing there'),
    'GET /app/session': who,
    'GET /app/options': { accounts: false },
    'GET /app/v1/archive': { data: [] },
    'GET /app/v1/ai/backtests?*': page([]),
    ...answers,
  })
  await show(<App />)
}
const skeleton = () => all('#skeleton').length

test('app: who is signed in sees the screen of the address, in the place of the skeleton', async () => {
  await opened('/runs')
  assert.match(text('h1'), /^Runs$/)
  assert.equal(skeleton(), 0)
  await press('Markets')
  assert.equal(location.pathname, '/markets')
  assert.match(text('h1'), /^Markets$/)
  assert.equal(localStorage.getItem('in'), 'yes')
})

test('app: an address that is none', async () => {
  await opened('/nowhere')
  assert.match(text('main'), /^No such page/)
})

test('app: what is simulated is known before anything is drawn, if that comes in time', async () => {
  const late = held()
  await opened('/runs', { 'GET /app/v1/archive': () => late.answer })
  assert.equal(all('h1').length, 0)
  await late.free({ data: [{ category: 'crypto', simulated: true }] })
  assert.equal(all('.simulated').length, 1)
  await press('Workbench')
  assert.equal(asked.filter((a) => a.name === 'GET /app/v1/archive').length, 1) // once, not by screen
  const later = held()
  await opened('/runs', { 'GET /app/v1/archive': () => later.answer })
  await show(
    <div key="again">
      <App />
    </div>,
  )
  await passes(1000) // it is not waited for any longer
  assert.equal(text('h1'), 'Runs')
})

test('app: nobody is signed in: a key is asked for, and then the screen is there', async () => {
  let session = [204]
  await opened('/runs', { 'GET /app/session': () => session, 'POST /app/session': [204] })
  assert.equal(text('h1'), 'Sign in')
  assert.equal(skeleton(), 0)
  session = who
  await put('API key', 'lb_secret')
  await press('Sign in')
  assert.equal(text('h1'), 'Runs')
})

test('app: where there are accounts one is led to sign in, and back; a key may be asked for', async () => {
  const accounts = { 'GET /app/session': [204], 'GET /app/options': { accounts: true } }
  await opened('/runs?coin=ETH', accounts)
  assert.deepEqual(gone, ['/sign-in?next=%2Fruns%3Fcoin%3DETH'])
  await opened('/', accounts)
  await show(
    <div key="home">
      <App />
    </div>,
  )
  assert.equal(gone[1], '/sign-in')
  await opened('/#key', accounts)
  await show(
    <div key="key">
      <App />
    </div>,
  )
  assert.equal(text('h1'), 'Sign in')
})

test('app: a ticket in the address signs in, and does not stay there; a used one is told', async () => {
  await opened('/runs#ticket=a%2Fb', { 'POST /app/session': [204] })
  assert.deepEqual(asked[0].body, { ticket: 'a/b' })
  assert.equal(location.href, 'http://house/runs')
  await opened('/runs#ticket=used', {
    'POST /app/session': refusal(401, 'the ticket was used'),
    'GET /app/session': [204],
  })
  await show(
    <div key="used">
      <App />
    </div>,
  )
  assert.equal(text('[role=alert]'), 'the ticket was used')
})

test('app: an address that is not verified is told on the account’s pages', async () => {
  const account = { id: 'a', email: 'ada@example.com', verified: false, role: 'owner' }
  await opened('/', { 'GET /app/session': { ...who, account } })
  await settle()
  assert.equal(location.pathname, '/account/keys')
})

test('app: signed out by a press, and by a server that knows the session no more', async () => {
  await opened('/runs', { 'DELETE /app/session': [204] })
  await press('Sign out')
  assert.equal(text('h1'), 'Sign in')
  await opened('/runs')
  await show(
    <div key="again">
      <App />
    </div>,
  )
  serve({ 'GET /app/v1/markets?*': refusal(401, 'over'), 'GET /app/session': [204] })
  await press('Markets')
  await passes(10)
  assert.equal(text('h1'), 'Sign in')
})

test('app: the session is used, so that it lives on; one that ended meanwhile is noticed', async () => {
  await opened('/runs')
  const n = () => asked.filter((a) => a.name === 'GET /app/session').length
  const before = n()
  await passes(30 * 60_000)
  assert.equal(n(), before + 1)
  serve({ 'GET /app/session': 'down' })
  await passes(30 * 60_000)
  assert.equal(text('h1'), 'Runs') // a server that is away ends nothing
  serve({ 'GET /app/session': [204] })
  await passes(30 * 60_000)
  assert.equal(text('h1'), 'Sign in')
})

test('app: a shared run needs nobody', async () => {
  await opened('/r/token')
  assert.match(text(), /This link leads nowhere/)
  assert.ok(!asked.some((a) => a.name === 'GET /app/session'))
  assert.equal(skeleton(), 0)
})
