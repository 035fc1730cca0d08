import { screens, screensOf, shared } from './screens'
import { passes, serve, show, text } from '../test/dom.mjs'
import { page, refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const at = (path) => screens.find((s) => s.is(path))?.name

test('screens: each address has its screen, and those that are none have none', () => {
  for (const [path, name] of [
    ['/', 'Workbench'],
    ['/runs/run_1', 'Workbench'],
    ['/runs/run_1/neighbours', 'Workbench'],
    ['/runs', 'Runs'],
    ['/runs/run_1/compare/run_2', 'Runs'],
    ['/markets', 'Markets'],
    ['/markets/btc%2F1', 'Markets'],
    ['/archive', 'Archive'],
    ['/account', 'Account'],
    ['/account/keys', 'Account'],
    ...['/nowhere', '/runs/', '/runs/run_1/other', '/archive/x', '/r/token'].map((p) => [
      p,
      undefined,
    ]),
  ])
    assert.equal(at(path), name, path)
  assert.ok(shared.is('/r/token') && !shared.is('/r/') && !shared.is('/r/a/b'))
})

test('screens: who is signed in with a key has no account', () => {
  const names = (who) => screensOf(who).map((s) => s.name)
  assert.deepEqual(names({}), ['Workbench', 'Runs', 'Markets', 'Archive'])
  assert.ok(names({ account: { id: 'a' } }).includes('Account'))
  const letters = screens.map((s) => s.letter)
  assert.equal(new Set(letters).size, letters.length)
})

test('screens: each shows what its address names', async () => {
  serve({ 'GET /*': refusal(404, 'nothing there'), 'GET /app/v1/ai/backtests?*': page([]) })
  for (const [path, words] of [
    ['/runs', /^Runs/],
    ['/runs/a/compare/b', /nothing there/],
    ['/runs/a/neighbours?sweep=s', /No such run/],
    ['/runs/a', /No such run/],
    ['/markets', /^Markets/],
    ['/markets/a%2Fb', /nothing there/],
    ['/archive', /^Archive/],
    ['/account/keys', /^Account/],
    ['/r/token', /This link leads nowhere/],
  ]) {
    history.replaceState(null, '', path)
    const url = new URL(location.href)
    const screen = [...screens, shared].find((s) => s.is(url.pathname))
    await show(<div key={path}>{screen.show(url)}</div>)
    await passes(50)
    assert.match(text(), words, path)
  }
})
