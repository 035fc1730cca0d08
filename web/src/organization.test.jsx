import { Audit, Keys, Members, Usage } from './organization'
import {
  all,
  asked,
  buttons,
  clipboard,
  document,
  field,
  gone,
  one,
  passes,
  press,
  put,
  rows,
  serve,
  settle,
  show,
  text,
  texts,
} from '../test/dom.mjs'
import { refusal } from '../test/facts.mjs'
import assert from 'node:assert/strict'
import test from 'node:test'

const at = '2026-04-20T08:00:00Z'
const me = (role = 'owner') => ({ id: 'me', email: 'ada@example.com', role, verified: true })
const one_ = (id, more = {}) => ({
  ...{
    id,
    name: id + ' <b>',
    plan: 'pro',
    made_by: 'ada@example.com',
    created_at: at,
    expires_at: null,
  },
  ...{ last_used_at: null, revoked_at: null, state: 'live' },
  ...more,
})

test('keys: what each is for, who made it, until when and when it was used', async () => {
  const data = [
    one_('k1', { last_used_at: '2026-04-20T11:00:00Z', expires_at: '2027-01-01T00:00:00Z' }),
    one_('k2', { made_by: null }),
    one_('k3', { state: 'revoked', revoked_at: '2026-04-19T08:00:00Z' }),
    one_('k4', { state: 'expired', expires_at: '2026-04-18T08:00:00Z' }),
  ]
  serve({ 'GET /app/keys': { data, most: 10 } })
  await show(<Keys me={me()} make />)
  assert.equal(text('h2'), 'API keys 2 of 10 live')
  assert.deepEqual(rows(), [
    ['k1 <b>', 'k1', 'ada@example.com', '2026-04-20', '2027-01-01', '60 minutes ago', 'Revoke'],
    ['k2 <b>', 'k2', 'a former member', '2026-04-20', 'never', 'never', 'Revoke'],
    ['k3 <b>', 'k3', 'ada@example.com', '2026-04-20', 'revoked 2026-04-19', 'never', ''],
    ['k4 <b>', 'k4', 'ada@example.com', '2026-04-20', 'expired 2026-04-18', 'never', ''],
  ])
  await show(<Keys me={me('member')} make />)
  assert.deepEqual(buttons(), ['Make a key', 'Revoke: k1 <b>']) // a member's own alone
  await show(<Keys me={me('viewer')} make={false} />)
  assert.deepEqual(buttons(), [])
})

test('keys: a secret is shown once, can be copied, and goes with its key', async () => {
  let data = []
  serve({
    'GET /app/keys': () => ({ data, most: 10 }),
    'POST /app/keys': (sent) =>
      (data = [one_('k1', { name: sent.body.name })]) && { ...data[0], key: 'lb_secret' },
    'DELETE /app/keys/k1': [204],
  })
  await show(<Keys me={me()} make />)
  assert.match(text(), /No keys yet\. A key opens the API to your programs/)
  await put('Name', 'notebook')
  await put('Ends', '30')
  await press('Make a key')
  assert.deepEqual(asked[1].body, { name: 'notebook', expires_at: '2026-05-20T12:00:00Z' })
  assert.equal(text('#secret'), 'lb_secret')
  await press('Copy')
  assert.deepEqual(clipboard, ['lb_secret'])
  assert.ok(buttons().includes('Copied'))
  await press('Done')
  assert.ok(!document.body.innerHTML.includes('lb_secret'))
  await put('Ends', '0')
  await put('Name', 'short')
  await press('Make a key')
  assert.deepEqual(asked.findLast((a) => a.body).body, { name: 'short' })
  await press('Revoke: short')
  await press('Revoke for good: short')
  assert.equal(all('#secret').length, 0)
})

const limits = {
  requests_per_minute: 60,
  requests_per_day: 1000,
  bulk_points_per_day: null,
  history_days: 90,
}
const used = (more = {}) => ({
  ...{ plan: 'pro', limits, earliest: '2026-01-20' },
  keys: [
    { id: 'session', name: '', minute: { used: 1 }, day: { used: 250 }, bulk: { used: 12_345 } },
    { id: 'k1', name: 'old name', minute: { used: 0 }, day: { used: 0 }, bulk: { used: 0 } },
  ],
  days: [
    {
      key: 'k1',
      day: '2026-04-20',
      requests: 1200,
      refusals: { rate_limited: 20, bad_request: 1 },
      bulk_points: 5,
      backtests: 2,
    },
    { key: 'gone', day: '2026-04-19', requests: 3, refusals: {}, bulk_points: 0, backtests: 0 },
  ],
  ...more,
})
const keys = { 'GET /app/keys': { data: [one_('k1', { name: 'notebook' })] } }

test('usage: the limits, what is used of them now, and what was by day and key', async () => {
  serve({ ...keys, 'GET /app/usage': used() })
  await show(<Usage />)
  assert.deepEqual(texts('.nums > div'), [
    ...['requests a minute60', 'requests a day1,000', 'bulk points a dayno limit'],
    'reads back to2026-01-2090 days of history',
  ])
  assert.deepEqual(rows('.now tbody'), [
    ['workbench', '1 of 60', '250 of 1,000', '12,345'],
    ['notebook', '0 of 60', '0 of 1,000', '0'],
  ])
  assert.deepEqual(rows('.scroll tbody'), [
    ['2026-04-20', 'notebook', '1,200', '20 rate limited, 1 bad request', '5', '2'],
    ['2026-04-19', 'gone', '3', '0', '0', '0'],
  ])
  assert.equal(
    one('.usage [role=img]').getAttribute('aria-label'),
    'Requests a day over 30 days: 1,182 answered, 21 refused, at most 1,200 on one day',
  )
})

test('usage: it moves by itself; nothing asked yet; not to be had', async () => {
  serve({
    'GET /app/keys': refusal(403, 'no'),
    'GET /app/usage': used({ days: [], earliest: null, limits: { ...limits, history_days: null } }),
  })
  await show(<Usage />)
  assert.match(text(), /Nothing was asked yet\./)
  assert.match(text('.nums'), /the beginningall history/)
  serve({ 'GET /app/usage': used() })
  await passes(5000)
  assert.equal(rows('.scroll tbody').length, 2)
  assert.equal(rows('.now tbody')[1][0], 'old name') // its own, where keys cannot be asked
  serve({ 'GET /app/usage': refusal(503, 'away') })
  await show(<Usage key="away" />)
  assert.equal(text('[role=alert]'), 'Away')
})

const member = (id, role, more = {}) => ({
  id,
  email: id + '@example.com',
  role,
  since: at,
  ...more,
})
const members = (role = 'owner', more = {}) => (
  <Members me={me(role)} name="ada" again={async () => {}} log={false} {...more} />
)
const invitations = 'GET /app/organization/invitations'

test('members: an owner gives roles and removes; what a role means is told', async () => {
  serve({
    'GET /app/organization/members': { data: [member('me', 'owner'), member('b/b', 'viewer')] },
    [invitations]: { data: [] },
    'POST /app/organization/members/b%2Fb': {},
    'DELETE /app/organization/members/*': [204],
  })
  await show(members())
  assert.equal(field('Role of b/b@example.com').value, 'viewer')
  await put('Role of b/b@example.com', 'member')
  assert.match(text(), /b\/b@example\.com is member now: own keys, backtests\./)
  await press('Remove: b/b@example.com')
  await press('Remove for good: b/b@example.com')
  assert.ok(asked.some((a) => a.name === 'DELETE /app/organization/members/b%2Fb'))
  assert.deepEqual(gone, [])
  await press('Leave: me@example.com')
  await press('Leave it: me@example.com')
  assert.deepEqual(gone, ['/account'])
})

test('members: a role that may not be given is told; a member sees, and may leave', async () => {
  serve({
    'GET /app/organization/members': { data: [member('me', 'member'), member('bob', 'owner')] },
    [invitations]: { data: [] },
    'POST /app/organization/members/bob': refusal(403, 'the last owner stays'),
  })
  await show(members())
  await put('Role of bob@example.com', 'viewer')
  assert.equal(text('[role=alert]'), 'The last owner stays')
  await settle()
  assert.equal(field('Role of bob@example.com').value, 'owner')
  await show(<div key="member">{members('member')}</div>)
  assert.deepEqual(buttons(), ['Leave: me@example.com'])
  assert.deepEqual(
    rows().map((r) => r[1]),
    ['member', 'owner'],
  )
})

test('members: others are invited, once the own address is verified, and invitations withdrawn', async () => {
  let data = []
  serve({
    'GET /app/organization/members': { data: [member('me', 'owner')] },
    [invitations]: () => ({ data }),
    'POST /app/organization/invitations': (sent) => {
      data = [
        {
          id: 'i/1',
          email: sent.body.email,
          role: sent.body.role,
          created_at: at,
          ends_at: '2026-04-27T08:00:00Z',
        },
      ]
      return {}
    },
    'DELETE /app/organization/invitations/i%2F1': [204],
    'POST /app/organization': {},
  })
  await show(members('owner', { log: true }))
  assert.ok(!buttons().includes('Leave: me@example.com')) // nobody else is there
  await put('Email address', 'dan@example.com')
  await press('Invite')
  assert.deepEqual(asked.find((a) => a.body).body, { email: 'dan@example.com', role: 'member' })
  assert.match(text(), /The invitation is in the server’s log\./)
  assert.deepEqual(rows('[aria-label=Invitations] tbody')[0].slice(0, 4), [
    ...['dan@example.com', 'member', '2026-04-20', '2026-04-27'],
  ])
  data = []
  await press('Withdraw: dan@example.com')
  await press('Withdraw it: dan@example.com')
  assert.equal(all('[aria-label=Invitations]').length, 0)
  assert.equal(field('Name').value, 'ada')
  await put('Name', 'ada & bob')
  await press('Rename')
  assert.deepEqual(asked.at(-1).body, { name: 'ada & bob' })
  assert.deepEqual(gone, ['again'])
  await show(<div key="not">{members('owner', { me: { ...me(), verified: false } })}</div>)
  assert.match(text(), /Verify your address to invite others\./)
})

const entry = (id, more = {}) => ({
  id,
  at,
  who: 'ada@example.com',
  action: 'made a key',
  what: '<b>',
  network: '',
  ...more,
})

test('audit: who did what, and what was before; a page that was refused is told until it comes', async () => {
  serve({ 'GET /app/audit': { data: [entry('e2', { who: null })], next: 'e/2' } })
  serve({ 'GET /app/audit?before=e%2F2': refusal(503, 'away') })
  await show(<Audit />)
  assert.deepEqual(rows(), [['2026-04-20 08:00:00', '–', 'made a key', '<b>', '–']])
  await press('Older')
  assert.equal(text('[role=alert]'), 'Away')
  serve({
    'GET /app/audit?before=e%2F2': { data: [entry('e1', { network: '10.0.0.0/24' })], next: null },
  })
  await press('Older')
  assert.equal(rows().length, 2)
  assert.equal(rows()[1].at(-1), '10.0.0.0/24')
  assert.equal(all('[role=alert]').length, 0)
  assert.deepEqual(buttons(), [])
})
