import { Shared } from './shared'
import { all, buttons, document, passes, press, serve, show, text } from '../test/dom.mjs'
import { refusal, report, words } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const path = 'GET /v1/shared/se%2Fcret'
const away = { 'GET /v1/shared/se%2Fcret/*': refusal(503, 'away') }
const simulated = { code: 'simulated', message: 'No exchange <made> them.' }
const got = (warnings = []) => ({
  created_at: '2026-04-20T11:00:00Z',
  result: { prompt: 'Buy Up <b>', report: report([5, -3], { warnings }) },
  words: words({
    warnings: [
      { code: 'x', head: 'Holes.', text: 'Many.', remedies: [{ label: 'Leave out', options: {} }] },
    ],
  }),
})

test('shared: the run is read-only, with nothing of its owner', async () => {
  serve({ ...away, [path]: got() })
  await show(<Shared token="se/cret" />)
  await passes(100)
  assert.equal(document.title, 'No edge · Shared run · Ladderback')
  assert.equal(text('.meta'), 'Shared run · 2026-04-20 11:00:00 UTC')
  assert.equal(text('.of .said'), 'Buy Up <b>')
  for (const name of ['Share', 'Download', 'Forget', 'Leave out'])
    assert.ok(!buttons().includes(name), name)
  assert.equal(all('textarea, #trade h2 a, .simulated').length, 0)
  await press('Next trade')
  assert.match(text('#trade h2'), /^Trade 2 of 2/)
})

test('shared: simulated data is said', async () => {
  serve({ ...away, [path]: got([simulated]) })
  await show(<Shared token="se/cret" />)
  assert.equal(text('.simulated'), 'SIMULATED DATA. No exchange <made> them.')
})

test('shared: a link that was withdrawn, and a server that is away', async () => {
  serve({ [path]: refusal(404, 'no') })
  await show(<Shared token="se/cret" />)
  assert.match(text('main'), /^This link leads nowhere\s*It was withdrawn/)
  assert.equal(document.title, 'Shared run · Ladderback')
  serve({ [path]: refusal(503, 'the archive is away') })
  await show(<Shared key="again" token="se/cret" />)
  assert.match(text('main'), /^Not available at the moment\s*the archive is away$/)
})
